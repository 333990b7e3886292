//! What Zig's own parser finds in the files given as arguments. Tab-separated: path, name, line, group.

const std = @import("std");
const Ast = std.zig.Ast;

pub fn main(init: std.process.Init) !void {
    const gpa = init.arena.allocator();
    var buffer: [65536]u8 = undefined;
    var out = std.Io.File.stdout().writer(init.io, &buffer);
    var args = try init.minimal.args.iterateAllocator(gpa);
    _ = args.next();
    while (args.next()) |path| {
        const text = try std.Io.Dir.cwd().readFileAllocOptions(init.io, path, gpa, .unlimited, .of(u8), 0);
        const tree = try Ast.parse(gpa, text, .{});
        if (tree.errors.len > 0) {
            try out.interface.print("{s}\t\t0\terror\n", .{path});
            continue;
        }
        for (tree.rootDecls()) |node| try value(&out.interface, tree, path, node);
        for (0..tree.nodes.len) |at| try visit(&out.interface, tree, path, @enumFromInt(at));
    }
    try out.interface.flush();
}

fn emit(out: *std.Io.Writer, tree: Ast, path: []const u8, token: Ast.TokenIndex, group: []const u8) !void {
    const line = tree.tokenLocation(0, token).line + 1;
    try out.print("{s}\t{s}\t{d}\t{s}\n", .{ path, tree.tokenSlice(token), line, group });
}

fn isType(tree: Ast, held: ?Ast.Node.Index) bool {
    const node = held orelse return false;
    var buffer: [2]Ast.Node.Index = undefined;
    return tree.fullContainerDecl(&buffer, node) != null or tree.nodeTag(node) == .error_set_decl;
}

fn value(out: *std.Io.Writer, tree: Ast, path: []const u8, node: Ast.Node.Index) !void {
    const declared = tree.fullVarDecl(node) orelse return;
    const held = declared.ast.init_node.unwrap();
    if (isType(tree, held)) return;
    if (declared.visib_token == null) if (held) |each| {
        const first = tree.tokenSlice(tree.firstToken(each));
        if (std.mem.eql(u8, first, "@import") or std.mem.eql(u8, first, "@This")) return;
    };
    try emit(out, tree, path, declared.ast.mut_token + 1, "value");
}

fn visit(out: *std.Io.Writer, tree: Ast, path: []const u8, node: Ast.Node.Index) !void {
    var one: [1]Ast.Node.Index = undefined;
    switch (tree.nodeTag(node)) {
        .fn_proto, .fn_proto_multi, .fn_proto_one, .fn_proto_simple => {
            const declared = tree.fullFnProto(&one, node) orelse return;
            if (declared.name_token) |token| try emit(out, tree, path, token, "function");
        },
        .test_decl => {
            const token = tree.nodeData(node).opt_token_and_node[0].unwrap() orelse return;
            try emit(out, tree, path, token, "test");
        },
        else => if (tree.fullVarDecl(node)) |declared| {
            if (isType(tree, declared.ast.init_node.unwrap()))
                try emit(out, tree, path, declared.ast.mut_token + 1, "type");
        },
    }
}
