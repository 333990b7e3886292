; Go. What a type is made of decides its kind; the receiver of a method is its parent.
(function_declaration name: (identifier) @name) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (type_identifier) @receiver))
  name: (field_identifier) @name) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (pointer_type (type_identifier) @receiver)))
  name: (field_identifier) @name) @definition.function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (generic_type type: (type_identifier) @receiver)))
  name: (field_identifier) @name) @definition.function
(method_declaration
  receiver: (parameter_list
    (parameter_declaration type: (pointer_type (generic_type type: (type_identifier) @receiver))))
  name: (field_identifier) @name) @definition.function

(type_spec name: (type_identifier) @name type: (struct_type)) @definition.struct
(type_spec name: (type_identifier) @name type: (interface_type)) @definition.interface
(type_spec name: (type_identifier) @name) @definition.type
(type_alias name: (type_identifier) @name) @definition.type
(interface_type (method_elem name: (field_identifier) @name) @definition.function)
(field_declaration name: (field_identifier) @name) @member.field
(field_declaration !name type: [(type_identifier) (qualified_type) (generic_type)] @base)

(source_file (const_declaration (const_spec (identifier) @name) @top.constant))
(source_file (var_declaration (var_spec (identifier) @name) @top.variable))
(source_file (var_declaration (var_spec_list (var_spec (identifier) @name) @top.variable)))

(import_spec path: (_) @module) @import
(import_spec name: (dot) @imported path: (_) @module) @import

[(identifier) (type_identifier) (field_identifier) (package_identifier) (label_name)] @use
(comment) @comment
