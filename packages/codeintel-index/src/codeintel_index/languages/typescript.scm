; TypeScript and TSX only.
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @definition.function
(public_field_definition name: (_) @name) @member.field
(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(type_alias_declaration name: (_) @name) @definition.type
(enum_declaration name: (_) @name) @definition.enum
(function_signature name: (_) @name) @definition.function
(class_body (method_signature name: (_) @name) @definition.function)
(interface_body (method_signature name: (_) @name) @definition.function)
(abstract_method_signature name: (_) @name) @definition.function
(interface_body (property_signature name: (_) @name) @member.field)
(object_type (property_signature name: (_) @name) @member.field)
(object_type (method_signature name: (_) @name) @member.method)
(enum_body name: (_) @name @member.enum_member)
(enum_assignment name: (_) @name) @member.enum_member
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @self.field
(internal_module name: (_) @name) @definition.namespace
(module name: (_) @name) @definition.module

(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @top.variable))
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name) @top.variable))

(import_statement (import_require_clause (identifier) @imported source: (string) @module)) @import

(type_identifier) @use
(class_body (decorator) @attribute)
