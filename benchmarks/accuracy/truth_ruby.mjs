// Definitions of Ruby files, by prism, the parser of Ruby itself, as JSON lines.
//
//     node truth_ruby.mjs FOLDER_OF_PRISM ROOT < PATHS
//
// A row is [path, line, name, kind, start, end, callable]; both lines are inclusive.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [, , tools, root] = process.argv;
const { loadPrism } = await import(pathToFileURL(join(tools, "node_modules/@ruby/prism/src/index.js")));
const parse = await loadPrism();
const ATTRIBUTES = new Set(["attr_reader", "attr_writer", "attr_accessor", "attr"]);
const RUNNERS = new Set(["describe", "context", "it", "specify", "test", "should"]);
const is = (node, kind) => node?.constructor.name === kind;

for (const path of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const bytes = readFileSync(join(root, path));
  const starts = [0];
  bytes.forEach((byte, at) => byte === 10 && starts.push(at + 1));
  const line = (at) => {
    let low = 0, high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= at) low = middle; else high = middle;
    }
    return low + 1;
  };
  const put = (node, name, kind, callable, at = node.location) => {
    const end = node.location.startOffset + node.location.length;
    const row = [path, line(at.startOffset), name, kind, line(node.location.startOffset), line(end), callable];
    process.stdout.write(JSON.stringify(row) + "\n");
  };
  const visit = (node, owner) => {
    const kind = node.constructor.name;
    let inner = owner;
    if (kind === "ClassNode" || kind === "ModuleNode") {
      put(node, node.name, "type", false, node.constantPath.location);
      inner = new Set();
    } else if (kind === "DefNode") {
      put(node, node.name, "method", true, node.nameLoc);
    } else if (kind === "ConstantWriteNode" || (kind === "ConstantTargetNode")) {
      put(node, node.name, "constant", false, node.nameLoc ?? node.location);
    } else if (kind === "InstanceVariableWriteNode" && !owner.has(node.name)) {
      owner.add(node.name);
      put(node, node.name, "instance variable", false, node.nameLoc);
    } else if (kind === "AliasMethodNode" && is(node.newName, "SymbolNode")) {
      put(node, node.newName.unescaped.value, "alias", false, node.newName.location);
    } else if (kind === "CallNode") {
      const given = node.arguments_?.arguments_ ?? [];
      const named = (each) => is(each, "SymbolNode") || is(each, "StringNode");
      if (!node.receiver && ATTRIBUTES.has(node.name)) {
        for (const each of given.filter(named)) put(node, each.unescaped.value, "attribute", false, each.location);
      } else if (!node.receiver && ["alias_method", "define_method"].includes(node.name) && named(given[0])) {
        put(node, given[0].unescaped.value, node.name, is(node.block, "BlockNode"), given[0].location);
      } else if (RUNNERS.has(node.name) && is(node.block, "BlockNode") && is(given[0], "StringNode")) {
        put(node, given[0].unescaped.value, "test", true);
      }
    }
    for (const child of node.compactChildNodes()) visit(child, inner);
  };
  visit(parse(bytes.toString("utf8")).value, new Set());
}
