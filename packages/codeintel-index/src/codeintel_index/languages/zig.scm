; Zig. A type is a constant whose value is its declaration.
(function_declaration name: (identifier) @name) @definition.function
(variable_declaration . (identifier) @name (struct_declaration) .) @definition.struct
(variable_declaration . (identifier) @name (enum_declaration) .) @definition.enum
(variable_declaration . (identifier) @name (union_declaration) .) @definition.union
(variable_declaration . (identifier) @name (opaque_declaration) .) @definition.struct
(variable_declaration . (identifier) @name (error_set_declaration) .) @definition.error
(test_declaration . (string) @name) @definition.test
(test_declaration . (identifier) @name) @definition.test

; What a file is called where it is taken in is no definition, unless it is handed on.
(source_file ((variable_declaration "pub" "const" . (identifier) @name) @top.constant))
(source_file ((variable_declaration "const" . (identifier) @name (_) @_value .) @top.constant
  (#not-match? @_value "^@(import|This)\\b")))
(source_file (variable_declaration "var" . (identifier) @name) @top.variable)
([
  (struct_declaration (variable_declaration "const" . (identifier) @name (_) @_value .) @definition.constant)
  (enum_declaration (variable_declaration "const" . (identifier) @name (_) @_value .) @definition.constant)
  (union_declaration (variable_declaration "const" . (identifier) @name (_) @_value .) @definition.constant)
  (opaque_declaration (variable_declaration "const" . (identifier) @name (_) @_value .) @definition.constant)
] (#not-match? @_value "^@(import|This)\\b"))
(struct_declaration (variable_declaration "var" . (identifier) @name) @definition.property)

((builtin_function (builtin_identifier) @_import (arguments (string (string_content) @module))) @import
  (#any-of? @_import "@import" "@embedFile" "@cInclude"))

(source_file (variable_declaration "pub" . (identifier) @export))
(source_file (function_declaration ["pub" "export"] name: (identifier) @export))

(identifier) @use
(comment) @comment
