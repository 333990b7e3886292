; PHP, with the HTML around it. A namespace without braces holds what follows it (see `clauses.py`).
(namespace_definition name: (_) @name) @definition.namespace

(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum

(function_definition name: (name) @name) @definition.function
((method_declaration name: (name) @name) @definition.constructor
  (#eq? @name "__construct"))
(method_declaration name: (name) @name) @definition.method
(property_hook (name) @name body: (_)) @scope.method

(property_declaration (property_element name: (variable_name (name) @name)) @definition.property)
(property_promotion_parameter name: (variable_name (name) @name)) @self.field
(enum_case name: (name) @name) @member.enum_member
(use_declaration [(name) (qualified_name)] @base)
(const_element . (name) @name) @definition.constant
(expression_statement
  (function_call_expression
    function: (name) @_define
    arguments: (arguments . (argument (string) @name))) @top.constant
  (#eq? @_define "define"))

(assignment_expression
  left: (variable_name (name) @name)
  right: [(anonymous_function) (arrow_function)]) @definition.function
(program (expression_statement (assignment_expression left: (variable_name (name) @name)) @top.variable))

(namespace_use_declaration
  (namespace_use_clause (qualified_name (namespace_name) @module (name) @imported)) @import)
(namespace_use_declaration (namespace_use_clause . (name) @module) @import)
(namespace_use_declaration
  (namespace_name) @module
  body: (namespace_use_group (namespace_use_clause . (_) @imported))) @import
(include_expression (string) @module) @import
(include_once_expression (string) @module) @import
(require_expression (string) @module) @import
(require_once_expression (string) @module) @import
(include_expression (binary_expression right: (string) @module)) @import
(include_once_expression (binary_expression right: (string) @module)) @import
(require_expression (binary_expression right: (string) @module)) @import
(require_once_expression (binary_expression right: (string) @module)) @import

(name) @use
(comment) @comment
(attribute_list) @attribute
