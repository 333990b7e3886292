; C++ only. A qualified name tells the parent of a function that is defined outside of its class.
(class_specifier name: (type_identifier) @name body: (_)) @definition.class
(class_specifier name: (template_type name: (type_identifier) @name) body: (_)) @definition.class
(struct_specifier name: (template_type name: (type_identifier) @name) body: (_)) @definition.struct
(class_specifier name: (qualified_identifier) @name body: (_)) @definition.class
(struct_specifier name: (qualified_identifier) @name body: (_)) @definition.struct
(namespace_definition name: (_) @name) @definition.namespace
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type

(function_definition
  declarator: (function_declarator
    declarator: [
      (field_identifier) (qualified_identifier) (operator_name) (destructor_name)
    ] @name)) @definition.function
(function_definition
  declarator: (pointer_declarator
    declarator: (function_declarator
      declarator: [(field_identifier) (qualified_identifier) (operator_name)] @name))) @definition.function
(function_definition
  declarator: (pointer_declarator
    declarator: (pointer_declarator
      declarator: (function_declarator
        declarator: [(field_identifier) (qualified_identifier) (operator_name)] @name)))) @definition.function
(function_definition
  declarator: (reference_declarator
    (function_declarator
      declarator: [
        (identifier) (field_identifier) (qualified_identifier) (operator_name)
      ] @name))) @definition.function
(function_definition declarator: (operator_cast) @name) @definition.function

(field_declaration
  declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name)) @definition.function
(field_declaration
  declarator: (pointer_declarator
    declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name))) @definition.function
(field_declaration
  declarator: (reference_declarator
    (function_declarator declarator: [(field_identifier) (operator_name)] @name))) @definition.function
(field_declaration declarator: (reference_declarator (field_identifier) @name)) @member.field
(field_declaration declarator: (operator_cast) @name) @definition.function
(field_declaration_list (declaration declarator: (operator_cast) @name) @definition.function)

; Templates of members, too, parse as declarations.
(field_declaration_list
  (template_declaration
    (declaration
      declarator: [
        (function_declarator declarator: [(identifier) (operator_name)] @name)
        (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
        (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))
      ]) @definition.function))

; Constructors and destructors that are only declared parse as declarations.
(field_declaration_list
  (declaration
    declarator: (function_declarator declarator: [(identifier) (destructor_name)] @name)) @definition.function)

(declaration declarator: (init_declarator declarator: (qualified_identifier) @name)) @top.variable
(declaration declarator: (function_declarator declarator: (operator_name) @name)) @top.prototype
(declaration
  declarator: (reference_declarator
    (function_declarator declarator: [(identifier) (operator_name)] @name))) @top.prototype

(namespace_identifier) @use
