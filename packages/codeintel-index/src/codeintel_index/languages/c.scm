; C, and what C++ shares with it. A pointer in the return type stands between a function and its name.
((function_definition type: (_) declarator: (function_declarator declarator: (identifier) @name)) @definition.function
  (#not-match? @name "^(if|else|for|while|switch|return|do|sizeof|case)$"))
(function_definition
  declarator: (pointer_declarator
    declarator: (function_declarator declarator: (identifier) @name))) @definition.function
(function_definition
  declarator: (pointer_declarator
    declarator: (pointer_declarator
      declarator: (function_declarator declarator: (identifier) @name)))) @definition.function

; Without a type a function is a constructor, one of old C, or what a macro makes of its arguments: `TEST(suite, name)`.
((function_definition !type declarator: (function_declarator declarator: (identifier) @name)) @definition.function
  (#not-match? @name "^(if|else|for|while|switch|return|do|sizeof|case)$|^(TEST|BENCHMARK)$|^[A-Z][A-Z0-9]*_[A-Z0-9_]+$"))
((function_definition !type declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list
      . (parameter_declaration type: (type_identifier) @owner !declarator)
      . (parameter_declaration type: (type_identifier) @name !declarator) .))) @definition.test
  (#match? @_macro "^[A-Z][A-Z0-9_]*$"))
((function_definition
    type: (type_identifier) @_macro declarator: (parenthesized_declarator (identifier) @name)) @definition.test
  (#match? @_macro "^[A-Z][A-Z0-9_]*$"))

(declaration declarator: (function_declarator declarator: (identifier) @name)) @top.prototype
(declaration
  declarator: (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))) @top.prototype
(declaration
  declarator: (pointer_declarator
    declarator: (pointer_declarator
      declarator: (function_declarator declarator: (identifier) @name)))) @top.prototype

(struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
(union_specifier name: (type_identifier) @name body: (_)) @definition.union
(enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
(field_declaration declarator: (field_identifier) @name) @member.field
(field_declaration declarator: (pointer_declarator declarator: (field_identifier) @name)) @member.field
(field_declaration
  declarator: (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))) @member.field
(field_declaration declarator: (array_declarator declarator: (field_identifier) @name)) @member.field
(field_declaration
  declarator: (array_declarator declarator: (array_declarator declarator: (field_identifier) @name))) @member.field
(field_declaration
  declarator: (pointer_declarator declarator: (array_declarator declarator: (field_identifier) @name))) @member.field
(field_declaration
  declarator: (function_declarator
    declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))) @member.field
(field_declaration
  declarator: (pointer_declarator
    declarator: (function_declarator
      declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name))))) @member.field
(enumerator name: (identifier) @name) @member.enum_member

(type_definition declarator: (type_identifier) @name) @definition.type
(type_definition declarator: (pointer_declarator declarator: (type_identifier) @name)) @definition.type
(type_definition declarator: (array_declarator declarator: (type_identifier) @name)) @definition.type
(type_definition
  declarator: (function_declarator
    declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @definition.type
(type_definition
  declarator: (pointer_declarator
    declarator: (function_declarator
      declarator: (parenthesized_declarator
        (pointer_declarator declarator: (type_identifier) @name))))) @definition.type

(preproc_def name: (identifier) @name) @definition.macro
(preproc_function_def name: (identifier) @name) @definition.macro

((declaration
  (type_qualifier) @_const declarator: (init_declarator declarator: (identifier) @name)) @top.constant
  (#any-of? @_const "const" "constexpr"))
((declaration
  (type_qualifier) @_const
  declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @name))) @top.constant
  (#any-of? @_const "const" "constexpr"))
((declaration
  (type_qualifier) @_const
  declarator: (init_declarator
    declarator: (pointer_declarator declarator: (array_declarator declarator: (identifier) @name)))) @top.constant
  (#any-of? @_const "const" "constexpr"))
(declaration declarator: (identifier) @name) @top.variable
(declaration declarator: (array_declarator declarator: (identifier) @name)) @top.variable
(declaration declarator: (pointer_declarator declarator: (identifier) @name)) @top.variable
(declaration declarator: (init_declarator declarator: (identifier) @name)) @top.variable
(declaration
  declarator: (init_declarator declarator: (array_declarator declarator: (identifier) @name))) @top.variable
(declaration
  declarator: (init_declarator declarator: (pointer_declarator declarator: (identifier) @name))) @top.variable
(declaration
  declarator: (pointer_declarator declarator: (array_declarator declarator: (identifier) @name))) @top.variable
(declaration
  declarator: (init_declarator
    declarator: (pointer_declarator declarator: (array_declarator declarator: (identifier) @name)))) @top.variable
(declaration
  declarator: (init_declarator
    declarator: (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name)))) @top.variable
(declaration
  declarator: (init_declarator
    declarator: (array_declarator declarator: (array_declarator declarator: (identifier) @name)))) @top.variable

(preproc_include path: (_) @module) @import

[(identifier) (type_identifier) (field_identifier) (statement_identifier)] @use
; The replacement of a macro is one token to the grammar.
(preproc_arg) @words
(comment) @comment
