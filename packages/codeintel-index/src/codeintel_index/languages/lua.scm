; Lua. `M.f` is a function in the table M, `M:f` a method of it.
(function_declaration name: (identifier) @name) @definition.function
(function_declaration name: (dot_index_expression table: (_) @owner field: (identifier) @name)) @definition.function
(function_declaration name: (method_index_expression table: (_) @receiver method: (identifier) @name)) @definition.function

(assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition) .)) @definition.function
(assignment_statement
  (variable_list . name: (dot_index_expression table: (_) @owner field: (identifier) @name) .)
  (expression_list . value: (function_definition) .)) @definition.function
(assignment_statement (expression_list value: (table_constructor
  (field name: (identifier) @name value: (function_definition)) @definition.function)))
(chunk (return_statement (expression_list (table_constructor
  (field name: (identifier) @name value: (function_definition)) @definition.function))))

; What a module is called where it is taken in is no definition.
(chunk ((variable_declaration
  (assignment_statement (variable_list name: (identifier) @name) (expression_list) @_value) @top.variable)
  (#not-match? @_value "^require\\b")))
(chunk ((assignment_statement (variable_list name: (identifier) @name) (expression_list) @_value) @top.variable
  (#not-match? @_value "^require\\b")))
(chunk (assignment_statement
  (variable_list name: (dot_index_expression table: (_) @owner field: (identifier) @name))) @top.variable)

((function_call name: (identifier) @_require arguments: (arguments . (string) @module)) @import
  (#eq? @_require "require"))

(identifier) @use
(comment) @comment
