// What postcss finds in the files named on stdin: classes, ids, custom properties, keyframes. One JSON object a line.
const fs = require("fs");
const postcss = require("postcss");

for (const path of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const seen = new Set();
  const emit = (name, node, group) => {
    if (seen.has(group + name)) return;
    seen.add(group + name);
    console.log(JSON.stringify({ path, name, line: 0, group }));
  };
  try {
    postcss.parse(fs.readFileSync(path, "utf8")).walk((node) => {
      if (node.type === "rule")
        for (const found of node.selector.replace(/\[[^\]]*\]/g, "").matchAll(/[.#]([A-Za-z_-][\w-]*)/g))
          emit(found[1], node, "selector");
      if (node.type === "decl" && node.prop.startsWith("--")) emit(node.prop, node, "value");
      if (node.type === "atrule" && node.name.endsWith("keyframes")) emit(node.params, node, "keyframes");
    });
  } catch (error) {
    console.log(JSON.stringify({ path, error: String(error.message) }));
  }
}
