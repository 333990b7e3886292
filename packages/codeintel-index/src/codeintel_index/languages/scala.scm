; Scala. An extension and a given without a name are no symbols, yet parents under the name of their type.
(class_definition name: (_) @name) @definition.class
(object_definition name: (_) @name) @definition.object
(package_object name: (_) @name) @definition.object
(trait_definition name: (_) @name) @definition.trait
(enum_definition name: (_) @name) @definition.enum
(type_definition name: (_) @name) @definition.type
(given_definition name: (_) @name) @definition.given
(given_definition !name return_type: (generic_type type: (type_identifier) @name)) @scope.given
(given_definition !name return_type: (type_identifier) @name) @scope.given
(extension_definition parameters: (parameters (parameter type: (type_identifier) @name))) @scope.extension
(extension_definition
  parameters: (parameters (parameter type: (generic_type type: (type_identifier) @name)))) @scope.extension

((function_definition name: (identifier) @name) @definition.constructor (#eq? @name "this"))
(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.function

(template_body [
  (val_definition pattern: (identifier) @name)
  (val_definition pattern: (identifiers (identifier) @name))
  (var_definition pattern: (identifier) @name)
  (var_definition pattern: (identifiers (identifier) @name))
  (val_declaration name: (identifier) @name)
  (var_declaration name: (identifier) @name)
] @definition.property)
(compilation_unit [
  (val_definition pattern: (identifier) @name)
  (val_definition pattern: (identifiers (identifier) @name))
  (var_definition pattern: (identifier) @name)
  (var_definition pattern: (identifiers (identifier) @name))
] @top.variable)

(import_declaration ((identifier) @module "."?)+) @import
(import_declaration ((identifier) @module "."?)+ (namespace_wildcard) @imported) @import
(import_declaration ((identifier) @module "."?)+ (namespace_selectors [
  (identifier) @imported
  (arrow_renamed_identifier name: (identifier) @imported)
  (as_renamed_identifier name: (identifier) @imported)
  (namespace_wildcard) @imported
])) @import

[(identifier) (type_identifier) (operator_identifier)] @use
[(comment) (block_comment)] @comment
