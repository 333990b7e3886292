; YAML. Keys of each document and of the mappings right below it.
(document (block_node (block_mapping (block_mapping_pair key: (flow_node) @name) @definition.key)))
(document (block_node (block_mapping (block_mapping_pair
  value: (block_node (block_mapping (block_mapping_pair key: (flow_node) @name) @definition.key))))))
(document (flow_node (flow_mapping (flow_pair key: (flow_node) @name) @definition.key)))
(comment) @comment
