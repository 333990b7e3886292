; Python. Whether a function is a method is decided by what encloses it, not here.
(class_definition name: (identifier) @name) @definition.class
(function_definition name: (identifier) @name) @definition.function
(type_alias_statement left: (type (identifier) @name)) @definition.type
(type_alias_statement left: (type (generic_type (identifier) @name))) @definition.type

; Bindings count at the top of a file or class only, there also below `if` and `try`.
(assignment left: (identifier) @name) @top.variable
(assignment left: (pattern_list (identifier) @name)) @top.variable
(assignment left: (tuple_pattern (identifier) @name)) @top.variable
(assignment left: (list_pattern (identifier) @name)) @top.variable

((assignment left: (attribute object: (identifier) @_self attribute: (identifier) @name)) @self.attribute
  (#any-of? @_self "self" "cls"))
((assignment left: (pattern_list (attribute object: (identifier) @_self attribute: (identifier) @name)))
  @self.attribute
  (#any-of? @_self "self" "cls"))

(import_statement name: (dotted_name) @module) @import
(import_statement name: (aliased_import name: (dotted_name) @module)) @import
(future_import_statement "__future__" @module name: (dotted_name) @imported) @import
(import_from_statement module_name: (_) @module) @import
(import_from_statement module_name: (_) @module name: (dotted_name) @imported) @import
(import_from_statement module_name: (_) @module name: (aliased_import name: (dotted_name) @imported)) @import
(import_from_statement module_name: (_) @module (wildcard_import) @imported) @import
((call function: [(identifier) @_load (attribute attribute: (identifier) @_load)]
    arguments: (argument_list . (string (string_content) @module))) @import
  (#any-of? @_load "import_module" "__import__"))

((assignment left: (identifier) @_all right: (_ (string (string_content) @export)))
  (#eq? @_all "__all__"))

(identifier) @use
(comment) @comment
