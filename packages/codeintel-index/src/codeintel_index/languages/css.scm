; CSS. Classes and ids of selectors; of several rules for one name the first in a file defines it.
((rule_set (selectors [(class_selector (class_name (identifier) @name) .) (id_selector (id_name) @name)])) @definition.selector
  (#match? @name "^-{0,2}[A-Za-z_]"))
((rule_set (selectors (_ [(class_selector (class_name (identifier) @name) .) (id_selector (id_name) @name)]))) @definition.selector
  (#match? @name "^-{0,2}[A-Za-z_]"))
((rule_set (selectors (_ (_ [(class_selector (class_name (identifier) @name) .) (id_selector (id_name) @name)])))) @definition.selector
  (#match? @name "^-{0,2}[A-Za-z_]"))
((rule_set (selectors (_ (_ (_ [(class_selector (class_name (identifier) @name) .) (id_selector (id_name) @name)]))))) @definition.selector
  (#match? @name "^-{0,2}[A-Za-z_]"))
((rule_set (selectors (_ (_ (_ (_ [(class_selector (class_name (identifier) @name) .) (id_selector (id_name) @name)])))))) @definition.selector
  (#match? @name "^-{0,2}[A-Za-z_]"))
(keyframes_statement (keyframes_name) @name) @definition.keyframes
((declaration (property_name) @name) @top.variable (#match? @name "^--"))

(import_statement (string_value (string_content) @module)) @import
(import_statement (call_expression (arguments (string_value (string_content) @module)))) @import
(import_statement (call_expression (arguments (plain_value) @module))) @import

((plain_value) @use (#match? @use "^--"))
(comment) @comment
