//! The texts to learn from: tools and their parts, and people's queries. The tool that a query needs is never used.

use crate::set::{QueryLine, ToolLine, lines};
use mgp_toolindex::{embed::passage, tool::IndexedTool};
use std::{collections::HashSet, path::Path};

/// The longest text, in characters.
const MAX_TEXT: usize = 2_000;
/// The shortest sentence that is extracted from a description, in bytes.
const MIN_SENTENCE: usize = 12;
/// The most sentences that are extracted from one description.
const MAX_SENTENCES: usize = 6;

/// Texts without duplicates, in the order in which they were found.
#[derive(Default)]
pub(super) struct Texts {
    pub(super) all: Vec<String>,
    seen: HashSet<String>,
}

impl Texts {
    /// Reads the existing files of these in a folder: `tools.jsonl`, `queries.jsonl`, `queries_multi.jsonl`.
    pub(super) fn read(&mut self, folder: &Path) -> Result<(), String> {
        for line in lines::<ToolLine>(&folder.join("tools.jsonl"))? {
            self.add_tool(&line)?;
        }
        for name in ["queries.jsonl", "queries_multi.jsonl"] {
            let path = folder.join(name);
            if path.is_file() {
                lines::<QueryLine>(&path)?.iter().for_each(|line| self.add(&line.query));
            }
        }
        Ok(())
    }

    fn add_tool(&mut self, line: &ToolLine) -> Result<(), String> {
        let tool = line.to_tool()?;
        self.add(&passage(&tool));
        // Without its server, its parameters and its effects: words are learned best from short texts.
        self.add(&passage(&short(line)?));
        self.add(passage(&tool).split_once(':').map_or("", |(name, _)| name));
        self.add(&tool.id().server_id);
        tool.text().parameter_descriptions.lines().for_each(|text| self.add(text));
        let description = tool.text().description.replace(['\n', '\r'], ". ");
        let sentences = description.split(". ").map(str::trim).filter(|text| text.len() > MIN_SENTENCE);
        let sentences: Vec<_> = sentences.take(MAX_SENTENCES).collect();
        if sentences.len() > 1 {
            sentences.into_iter().for_each(|text| self.add(text));
        }
        Ok(())
    }

    fn add(&mut self, text: &str) {
        let text: String = text.trim().chars().take(MAX_TEXT).collect();
        if text.len() >= 3 && self.seen.insert(text.clone()) {
            self.all.push(text);
        }
    }
}

/// Returns the tool with only its name and description.
fn short(line: &ToolLine) -> Result<IndexedTool, String> {
    let only = ToolLine {
        id: line.id.clone(),
        name: line.name.clone(),
        server: String::new(),
        description: line.description.clone(),
        input_schema: None,
    };
    only.to_tool()
}
