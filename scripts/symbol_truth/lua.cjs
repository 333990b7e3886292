// What luaparse finds in the files named on stdin. One JSON object a line: path, name, line, group.
const fs = require("fs");
const luaparse = require("luaparse");

function visit(node, path) {
  if (!node || typeof node !== "object") return;
  if (Array.isArray(node)) return node.forEach((each) => visit(each, path));
  const emit = (name) =>
    console.log(JSON.stringify({ path, name: name.name, line: name.loc.start.line, group: "function" }));
  const bind = (target, value) => {
    const name = target?.type === "MemberExpression" ? target.identifier : target;
    if (value?.type === "FunctionDeclaration" && name?.type === "Identifier") emit(name);
    if (value?.type === "TableConstructorExpression")
      for (const field of value.fields) if (field.type === "TableKeyString") bind1(field);
  };
  const bind1 = (field) => field.value.type === "FunctionDeclaration" && emit(field.key);
  if (node.type === "FunctionDeclaration" && node.identifier)
    emit(node.identifier.type === "MemberExpression" ? node.identifier.identifier : node.identifier);
  if (node.type === "LocalStatement" || node.type === "AssignmentStatement")
    node.variables.forEach((target, at) => bind(target, node.init[at]));
  for (const key of Object.keys(node)) if (key !== "loc") visit(node[key], path);
}

for (const path of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  try {
    const tree = luaparse.parse(fs.readFileSync(path, "utf8"), { locations: true, luaVersion: "LuaJIT" });
    visit(tree, path);
    const last = tree.body.at(-1);
    if (last?.type === "ReturnStatement" && last.arguments[0]?.type === "TableConstructorExpression")
      for (const field of last.arguments[0].fields)
        if (field.type === "TableKeyString" && field.value.type === "FunctionDeclaration")
          console.log(JSON.stringify({ path, name: field.key.name, line: field.key.loc.start.line, group: "function" }));
  } catch (error) {
    console.log(JSON.stringify({ path, error: String(error.message) }));
  }
}
