; C#. A namespace without braces holds the rest of its file (see `clauses.py`).
(namespace_declaration name: (_) @name) @definition.namespace
(file_scoped_namespace_declaration name: (_) @name) @definition.namespace

(class_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.struct
(record_declaration name: (identifier) @name) @definition.record
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(delegate_declaration name: (identifier) @name) @definition.type

(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.constructor
(destructor_declaration "~" @name) @scope.method
(operator_declaration operator: _ @name) @definition.method
(conversion_operator_declaration type: (_) @name) @definition.method
(local_function_statement name: (identifier) @name) @definition.function

(property_declaration name: (identifier) @name) @definition.property
(indexer_declaration "this" @name) @definition.property
(event_declaration name: (identifier) @name) @definition.event
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.event
(accessor_declaration name: _ @name body: (_)) @scope.method

; A field that never changes is a constant.
((field_declaration (modifier) @_const (variable_declaration (variable_declarator name: (identifier) @name)))
  @definition.constant
  (#eq? @_const "const"))
((field_declaration
  (modifier) @_static
  (modifier) @_readonly
  (variable_declaration (variable_declarator name: (identifier) @name))) @definition.constant
  (#eq? @_static "static") (#eq? @_readonly "readonly"))
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @member.field
(enum_member_declaration name: (identifier) @name) @member.enum_member

(using_directive !name [(identifier) (qualified_name)] @module) @import
(using_directive name: (identifier) @imported [(qualified_name) (generic_name)] @module) @import

[(identifier)] @use
(comment) @comment
(attribute_list) @attribute
