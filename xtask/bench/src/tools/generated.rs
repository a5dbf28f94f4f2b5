//! Any number of tools, made from real ones: each is a real tool with some of its words replaced by words of other tools. The same seed
//! makes the same tools.

use super::{RealTool, data, real};
use fastrand::Rng;
use mgp_types::json::RawJson;
use serde_json::{Map, Value};
use std::{mem, path::Path};

/// The number of tools of a server.
pub(crate) const TOOLS_A_SERVER: usize = 50;

const SEED: u64 = 20_261_121;
/// The probability that a word of a description is changed.
const CHANGED: f32 = 0.25;
/// The probability that the name of a parameter gets another word.
const CHANGED_PARAMETER: f32 = 0.2;
/// The depth to which schemas are changed.
const MAX_DEPTH: usize = 16;

/// Makes tools.
#[derive(Debug)]
pub(crate) struct Generator {
    real: Vec<RealTool>,
    /// The words of all descriptions, as often as they occur.
    words: Vec<String>,
}

/// A server with its tools, and the original tool of each.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) id: String,
    pub(crate) tools: Vec<RawJson>,
    pub(crate) made_from: Vec<usize>,
}

impl Generator {
    pub(crate) fn new(shared: &Path) -> Result<Self, String> {
        let texts = data::descriptions(shared)?;
        let words = texts.iter().flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
        let words = words.filter(|word| word.len() > 2).map(str::to_lowercase).collect();
        Ok(Self { real: real(shared)?, words })
    }

    /// Returns the real tools.
    pub(crate) fn real(&self) -> &[RealTool] {
        &self.real
    }

    /// Makes a server by its number. Another `edition` of the server has other tools.
    pub(crate) fn server(&self, number: usize, edition: u64) -> Result<Server, String> {
        let mut rng = Rng::with_seed(SEED ^ (number as u64) << 20 ^ edition);
        let from = self.real.get(number % self.real.len()).ok_or("there are no real tools")?;
        let (mut tools, mut made_from) = (Vec::new(), Vec::new());
        for at in 0..TOOLS_A_SERVER {
            let base = rng.usize(..self.real.len());
            let mut definition = self.real[base].definition.clone();
            if let Some(members) = definition.as_object_mut() {
                self.change(members, &mut rng);
                let name = members.get("name").and_then(Value::as_str).unwrap_or_default();
                let name = format!("{name}_{}_{at}", self.word(&mut rng));
                members.insert("name".to_owned(), name.into());
            }
            tools.push(RawJson::from_value(&definition).map_err(|error| error.to_string())?);
            made_from.push(base);
        }
        Ok(Server { id: format!("{}-{}-{number}", from.server, self.word(&mut rng)), tools, made_from })
    }

    fn change(&self, members: &mut Map<String, Value>, rng: &mut Rng) {
        if let Some(Value::String(text)) = members.get_mut("description") {
            *text = self.text(text, rng);
        }
        if let Some(schema) = members.get_mut("inputSchema") {
            self.schema(schema, MAX_DEPTH, rng);
        }
    }

    fn schema(&self, schema: &mut Value, depth: usize, rng: &mut Rng) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match schema {
            Value::Object(members) => {
                for (key, value) in members.iter_mut() {
                    match value {
                        Value::String(text) if key == "description" => *text = self.text(text, rng),
                        _ => self.schema(value, depth, rng),
                    }
                }
                if let Some(Value::Object(properties)) = members.get_mut("properties") {
                    let renamed = mem::take(properties).into_iter().map(|(mut name, property)| {
                        if rng.f32() < CHANGED_PARAMETER {
                            name = format!("{name}_{}", self.word(rng));
                        }
                        (name, property)
                    });
                    *properties = renamed.collect();
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.schema(item, depth, rng)),
            _ => {}
        }
    }

    fn text(&self, text: &str, rng: &mut Rng) -> String {
        let words = text.split(' ');
        let words = words.map(|word| if rng.f32() < CHANGED { self.word(rng) } else { word });
        words.collect::<Vec<_>>().join(" ")
    }

    fn word(&self, rng: &mut Rng) -> &str {
        rng.choice(&self.words).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::HashSet;

    fn generator() -> Generator {
        let schema = json!({"type": "object", "properties": {"path": {"type": "string", "description": "Where it is."}}});
        let definition =
            json!({"name": "read", "description": "Reads the file at a path.", "inputSchema": schema});
        let words = ["weather", "invoice", "garden"].map(str::to_owned).to_vec();
        Generator { real: vec![RealTool { server: "files".to_owned(), definition }], words }
    }

    #[test]
    fn a_generated_server_is_reproducible_with_unique_names() {
        let generator = generator();
        let (one, again, other) = (generator.server(3, 0), generator.server(3, 0), generator.server(3, 1));
        let (one, again, other) = (one.unwrap(), again.unwrap(), other.unwrap());
        assert_eq!((&one.id, &one.tools), (&again.id, &again.tools));
        assert_ne!(one.tools, other.tools);
        let tools = one.tools.iter().map(|tool| tool.decode::<Value>().unwrap());
        let names: HashSet<String> = tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
        assert_eq!(names.len(), TOOLS_A_SERVER);
    }

    #[test]
    fn only_words_and_parameter_names_change() {
        let texts = generator().server(0, 0).unwrap().tools;
        let tools: Vec<Value> = texts.iter().map(|tool| tool.decode().unwrap()).collect();
        assert!(tools.iter().any(|tool| tool["description"] != "Reads the file at a path."));
        assert!(tools.iter().any(|tool| tool["inputSchema"]["properties"].get("path").is_none()));
        for tool in &tools {
            let properties = tool["inputSchema"]["properties"].as_object().unwrap();
            assert!(properties.iter().all(|(name, one)| name.starts_with("path") && one["type"] == "string"));
        }
    }
}
