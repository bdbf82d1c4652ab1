//! The text of synthetic modules: what a tool looks like to this program, and to the peers.

/// How often each part of a module was edited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Revision {
    /// A string inside the handler.
    pub handler: u32,
    /// A comment.
    pub comment: u32,
    /// The description, which hosts and models are shown.
    pub metadata: u32,
}

/// For whom a module is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Routes of this program.
    Routes,
    /// Modules that export a schema, metadata and a handler.
    Plain,
}

/// The name of a tool.
pub fn tool_name(number: usize) -> String {
    format!("weigh-{number:05}")
}

/// The module that all tools import.
pub const SHARED: &str = "\
/** How much a word weighs at its place. */
export function weigh(word: string, place: number): number {
  return [...word].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), place);
}

/** A list in one line. */
export function inWords(words: readonly string[]): string {
  return words.length === 0 ? 'nothing' : words.join(', ');
}
";

/// One tool: three fields with a schema, a handler, one shared import.
pub fn tool(dialect: Dialect, number: usize, revision: Revision) -> String {
    let Revision { handler, comment, metadata } = revision;
    let description =
        format!("Weighs words as number {number} does and keeps the heaviest. Revision {metadata}.");
    let fields = |indent: &str| {
        [
            "words: z.array(z.string().min(1).max(80)).max(100).describe('What is weighed'),",
            "limit: z.number().int().min(1).max(100).default(10).describe('How many are kept'),",
            "order: z.enum(['rising', 'falling']).default('falling').describe('Which of them come first'),",
        ]
        .map(|line| format!("{indent}{line}\n"))
        .concat()
    };
    let body = format!(
        "    const weighed = words.map((word, place) => ({{ word, weight: weigh(word, place) * factor }}));
    // Words of one weight keep their order. Revision {comment}.
    weighed.sort((a, b) => (order === 'rising' ? a.weight - b.weight : b.weight - a.weight));
    const kept = weighed.slice(0, limit);
    const weight = kept.reduce((sum, one) => sum + one.weight, 0);
    if (kept.length < words.length) {{
      console.error(`${{words.length - kept.length}} words are too many`);
    }}
    const text = `Revision {handler}: ${{inWords(kept.map((one) => one.word))}} weigh ${{weight}}`;
"
    );
    match dialect {
        Dialect::Routes => format!(
            "import {{ Agent }} from '@agent-bundle/runtime';
import {{ defineTool }} from 'agent-bundle/routes';
import {{ z }} from 'zod';

import {{ inWords, weigh }} from '../../../shared/words.js';

const factor = {number} + 1;

export default defineTool(
  {{
    title: 'Weigh {number}',
    description: '{description}',
    annotations: {{ readOnlyHint: true, idempotentHint: true }},
    inputSchema: z.object({{
{}    }}),
    resultSchema: z.object({{ kept: z.array(z.string()), weight: z.number() }}),
  }},
  async ({{ words, limit, order }}) => {{
{body}    return (
      <Agent.Result value={{{{ kept: kept.map((one) => one.word), weight }}}}>
        <Agent.Text>{{text}}</Agent.Text>
      </Agent.Result>
    );
  }},
);
",
            fields("      ")
        ),
        Dialect::Plain => format!(
            "import {{ z }} from 'zod';

import {{ inWords, weigh }} from '../shared/words';

const factor = {number} + 1;

export const schema = {{
{}}};

export const metadata = {{
  name: '{}',
  description: '{description}',
  annotations: {{ title: 'Weigh {number}', readOnlyHint: true, idempotentHint: true }},
}};

type Input = z.infer<z.ZodObject<typeof schema>>;

export default async function weighWords({{ words, limit, order }}: Input) {{
{}  return {{
    content: [{{ type: 'text' as const, text }}],
    structuredContent: {{ kept: kept.map((one) => one.word), weight }},
  }};
}}
",
            fields("  "),
            tool_name(number),
            body.replace("\n  ", "\n").replacen("    ", "  ", 1),
        ),
    }
}

/// A server on the MCP SDK that takes in all tools, for bundlers that know no conventions.
pub fn plain_server(tools: usize) -> String {
    let mut text = String::from(
        "import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

",
    );
    for number in 0..tools {
        text.push_str(&format!("import * as tool{number} from './tools/{}';\n", tool_name(number)));
    }
    text.push_str("\nconst tools = [");
    text.push_str(&(0..tools).map(|number| format!("tool{number}")).collect::<Vec<_>>().join(", "));
    text.push_str(
        "];
const server = new McpServer({ name: 'weights', version: '1.0.0' });
for (const { schema, metadata, default: handler } of tools) {
  const { name, ...rest } = metadata;
  server.registerTool(name, { ...rest, inputSchema: schema }, handler);
}
void server.connect(new StdioServerTransport());
",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_about_forty_lines_in_both_dialects() {
        for dialect in [Dialect::Routes, Dialect::Plain] {
            let text = tool(dialect, 7, Revision::default());
            let lines = text.lines().count();
            assert!((32..=46).contains(&lines), "{dialect:?}: {lines} lines\n{text}");
            assert!((1_000..2_000).contains(&text.len()), "{dialect:?}: {} bytes", text.len());
            assert_eq!(text, tool(dialect, 7, Revision::default()));
            assert_ne!(text, tool(dialect, 8, Revision::default()));
        }
    }

    #[test]
    fn an_edit_changes_one_line() {
        let edits = [
            Revision { handler: 1, ..Revision::default() },
            Revision { comment: 1, ..Revision::default() },
            Revision { metadata: 1, ..Revision::default() },
        ];
        for dialect in [Dialect::Routes, Dialect::Plain] {
            let before = tool(dialect, 3, Revision::default());
            for edit in edits {
                let after = tool(dialect, 3, edit);
                let changed: Vec<_> = before.lines().zip(after.lines()).filter(|(a, b)| a != b).collect();
                assert_eq!(changed.len(), 1, "{edit:?}: {changed:?}");
                assert_eq!(before.len(), after.len());
            }
        }
    }

    #[test]
    fn the_plain_server_names_every_tool() {
        let text = plain_server(3);
        assert!(text.contains("import * as tool2 from './tools/weigh-00002';"));
        assert!(text.contains("[tool0, tool1, tool2]"));
    }
}
