; Java.
(class_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(record_declaration name: (identifier) @name) @definition.record
(annotation_type_declaration name: (identifier) @name) @definition.annotation
(method_declaration name: (identifier) @name) @definition.method
(annotation_type_element_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.constructor
(compact_constructor_declaration name: (identifier) @name) @definition.constructor

; A static final field is the constant of a language without top-level ones; so is any field of an interface.
(field_declaration
  (modifiers "static" "final") declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(field_declaration
  (modifiers "final" "static") declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @member.field
(enum_constant name: (identifier) @name) @member.enum_member
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @member.field))

(import_declaration (scoped_identifier scope: (_) @module name: (_) @imported) .) @import
(import_declaration (scoped_identifier) @module (asterisk) @imported) @import
(import_declaration (identifier) @module .) @import

((program (_ (modifiers "public") name: (identifier) @export)))

[(identifier) (type_identifier)] @use
[(line_comment) (block_comment)] @comment
