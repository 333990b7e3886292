; HTML. An element with an id is what other files speak of.
((element . (start_tag
    (attribute (attribute_name) @_id [(quoted_attribute_value (attribute_value) @name) (attribute_value) @name])))
  @definition.id
  (#eq? @_id "id"))
((element . (self_closing_tag
    (attribute (attribute_name) @_id [(quoted_attribute_value (attribute_value) @name) (attribute_value) @name])))
  @definition.id
  (#eq? @_id "id"))

((script_element . (start_tag
    (attribute (attribute_name) @_src [(quoted_attribute_value (attribute_value) @module) (attribute_value) @module])))
  @import
  (#eq? @_src "src"))
((element . (start_tag . (tag_name) @_link
    (attribute (attribute_name) @_href [(quoted_attribute_value (attribute_value) @module) (attribute_value) @module])))
  @import
  (#eq? @_link "link") (#eq? @_href "href"))

((attribute
    (attribute_name) @_of [(quoted_attribute_value (attribute_value) @words) (attribute_value) @words])
  (#any-of? @_of "class" "for" "aria-labelledby" "aria-describedby" "aria-controls"))
(comment) @comment
