// Asks codeintel-guard about each call of a tool: before it is made, and after. Installed by `codeintel init`.
import { spawnSync } from "node:child_process"

export const CodeIntel = async ({ directory }) => {
  let guard = [] // reached as the server is, beside `codeintel`

  const ask = (event, tool, args) => {
    const call = { hook_event_name: event, tool_name: tool, tool_input: args, cwd: directory }
    const [program, ...words] = [...guard, "--client", "opencode"]
    const done = spawnSync(program, words, { input: JSON.stringify(call), encoding: "utf8", timeout: 10_000 })
    return done.stdout ? JSON.parse(done.stdout).reason : undefined // without the program nothing is stopped
  }

  return {
    config: async ({ mcp }) => {
      const command = mcp?.["code-intel"]?.command ?? []
      guard = command.slice(0, command.indexOf("serve")).map((word, at, all) => (at === all.length - 1 ? word + "-guard" : word))
    },
    "tool.execute.before": async ({ tool }, { args }) => {
      const reason = guard.length && ask("PreToolUse", tool, args)
      if (reason) throw new Error(reason)
    },
    "tool.execute.after": async ({ tool, args }, result) => {
      const reason = guard.length && ask("PostToolUse", tool, args)
      if (reason) result.output += `\n\n${reason}`
    },
  }
}
