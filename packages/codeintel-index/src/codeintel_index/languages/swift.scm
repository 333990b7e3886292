; Swift. An extension bears the name of the type it extends.
(class_declaration declaration_kind: "class" name: (type_identifier) @name) @definition.class
(class_declaration declaration_kind: "actor" name: (type_identifier) @name) @definition.actor
(class_declaration declaration_kind: "struct" name: (type_identifier) @name) @definition.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name) @definition.enum
(class_declaration declaration_kind: "extension"
  name: (user_type . (type_identifier) @name . (type_arguments)? .)) @definition.extension
(class_declaration declaration_kind: "extension"
  name: (user_type (type_identifier) @owner . (type_identifier) @name . (type_arguments)? .)) @definition.extension
(protocol_declaration name: (type_identifier) @name) @definition.protocol
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(macro_declaration (simple_identifier) @name) @definition.macro
(operator_declaration (custom_operator) @name) @definition.operator

(function_declaration name: [
  (simple_identifier) (custom_operator)
  "==" "!=" "===" "!==" "<" ">" "<=" ">=" "+" "-" "*" "/" "%" "+=" "-=" "*=" "/=" "%=" "|" "&" "^" "~" "<<" ">>"
] @name) @definition.function
(protocol_function_declaration name: [
  (simple_identifier) (custom_operator)
  "==" "!=" "<" ">" "<=" ">=" "+" "-" "*" "/" "%"
] @name) @definition.function
(init_declaration name: "init" @name) @definition.constructor
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name) @definition.method

(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property)
(enum_class_body
  (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @definition.property
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @top.variable)
(enum_entry name: (simple_identifier) @name) @member.enum_member

(import_declaration (identifier) @module) @import

[(simple_identifier) (type_identifier)] @use
[(comment) (multiline_comment)] @comment
