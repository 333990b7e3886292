// What scalameta finds in the files named on stdin. One JSON object a line: path, name, line, group.
const fs = require("fs");
const { parseSource } = require("scalameta-parsers");

const GROUPS = {
  "Defn.Class": "type", "Defn.Trait": "type", "Defn.Object": "type", "Defn.Enum": "type", "Pkg.Object": "type",
  "Defn.Type": "alias", "Decl.Type": "alias", "Defn.Def": "function", "Decl.Def": "function",
  "Ctor.Secondary": "function",
};

function visit(node, emit) {
  if (!node || typeof node !== "object") return;
  if (Array.isArray(node)) return node.forEach((each) => visit(each, emit));
  const group = GROUPS[node.type];
  if (group) emit(node.type === "Ctor.Secondary" ? "this" : node.name.value, node.name.pos.start, group);
  for (const key of Object.keys(node)) if (key !== "pos") visit(node[key], emit);
}

for (const path of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const text = fs.readFileSync(path, "utf8");
  const lineOf = (at) => text.slice(0, at).split("\n").length;
  const found = parseSource(text);
  if (found.error) console.log(JSON.stringify({ path, error: found.error }));
  else visit(found, (name, at, group) => console.log(JSON.stringify({ path, name, line: lineOf(at), group })));
}
