; Rust. An `impl` is no symbol, yet the parent of what it holds, under the name of its type.
(function_item name: (_) @name) @definition.function
(function_signature_item name: (_) @name) @definition.function
(struct_item name: (type_identifier) @name) @definition.struct
(enum_item name: (type_identifier) @name) @definition.enum
(union_item name: (type_identifier) @name) @definition.union
(trait_item name: (type_identifier) @name) @definition.trait
(type_item name: (type_identifier) @name) @definition.type
(associated_type name: (type_identifier) @name) @definition.type
(mod_item name: (identifier) @name) @definition.module
(macro_definition name: (_) @name) @definition.macro
(const_item name: (identifier) @name) @definition.constant
(static_item name: (identifier) @name) @definition.variable
(field_declaration name: (field_identifier) @name) @member.field
(enum_variant name: (identifier) @name) @member.enum_member

(impl_item type: (type_identifier) @name) @scope.impl
(impl_item type: (generic_type type: (type_identifier) @name)) @scope.impl
(impl_item type: (scoped_type_identifier name: (type_identifier) @name)) @scope.impl
(impl_item type: (generic_type type: (scoped_type_identifier name: (type_identifier) @name))) @scope.impl
(impl_item type: (primitive_type) @name) @scope.impl
(impl_item type: (reference_type type: (type_identifier) @name)) @scope.impl

(use_declaration argument: (scoped_identifier path: (_) @module name: (_) @imported)) @import
(use_declaration argument: (identifier) @module) @import
(use_declaration argument: (use_as_clause path: (identifier) @module)) @import
(use_declaration argument: (use_as_clause path: (scoped_identifier path: (_) @module name: (_) @imported))) @import
(use_declaration argument: (use_wildcard (_) @module "*" @imported)) @import
(use_declaration (scoped_use_list path: (_) @module list: (use_list [(identifier) (self)] @imported))) @import
(use_declaration
  (scoped_use_list path: (_) @module list: (use_list (use_as_clause path: (identifier) @imported)))) @import
(use_declaration (scoped_use_list path: (_) @module list: (use_list (use_wildcard . "*" @imported)))) @import
(use_list (scoped_identifier path: (_) @module name: (_) @imported) @import)
(use_list (use_as_clause path: (scoped_identifier path: (_) @module name: (_) @imported)) @import)
(use_list (use_wildcard (_) @module "*" @imported) @import)
(use_list (scoped_use_list path: (_) @module list: (use_list [(identifier) (self)] @imported)) @import)
(use_list (scoped_use_list path: (_) @module list: (use_list (use_as_clause path: (identifier) @imported))) @import)
(use_list (scoped_use_list path: (_) @module list: (use_list (use_wildcard . "*" @imported))) @import)
(extern_crate_declaration name: (identifier) @module) @import

(source_file (_ (visibility_modifier) name: (_) @export))
(source_file (use_declaration (visibility_modifier) argument: (scoped_identifier name: (identifier) @export)))

[(identifier) (type_identifier) (field_identifier) (shorthand_field_identifier)] @use
[(line_comment) (block_comment)] @comment
[(attribute_item) (inner_attribute_item)] @attribute
