; Kotlin. What an unnamed companion holds counts as the class's own.
(class_declaration "interface" name: (identifier) @name) @definition.interface
(class_declaration (modifiers (class_modifier "enum")) name: (identifier) @name) @definition.enum
(class_declaration (modifiers (class_modifier "annotation")) name: (identifier) @name) @definition.annotation
(class_declaration name: (identifier) @name) @definition.class
(object_declaration name: (identifier) @name) @definition.object
(companion_object name: (identifier) @name) @definition.object
(type_alias type: (identifier) @name) @definition.type

(function_declaration (user_type (identifier) @receiver) . "." . name: (identifier) @name) @definition.function
(function_declaration
  (nullable_type (user_type (identifier) @receiver)) . "." . name: (identifier) @name) @definition.function
(function_declaration name: (identifier) @name) @definition.function
(secondary_constructor "constructor" @name) @definition.constructor

(source_file
  (property_declaration (modifiers (property_modifier "const")) (variable_declaration . (identifier) @name))
  @top.constant)
(source_file (property_declaration
  (user_type (identifier) @owner) . "." . (variable_declaration . (identifier) @name)) @top.variable)
(source_file (property_declaration (variable_declaration . (identifier) @name)) @top.variable)
(class_body
  (property_declaration (modifiers (property_modifier "const")) (variable_declaration . (identifier) @name))
  @definition.constant)
(class_body (property_declaration (variable_declaration . (identifier) @name)) @definition.property)
(enum_class_body (property_declaration (variable_declaration . (identifier) @name)) @definition.property)
(class_parameter ["val" "var"] (identifier) @name) @member.field
(enum_entry (identifier) @name) @member.enum_member

(import (qualified_identifier) @module) @import

(identifier) @use
[(line_comment) (block_comment)] @comment
