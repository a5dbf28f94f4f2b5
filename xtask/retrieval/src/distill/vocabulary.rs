//! The pieces of words: those pieces of the teacher that occur when our texts are cut.

use mgp_toolindex::embed::Vocabulary;
use serde::Deserialize;
use std::{collections::HashMap, fs, path::Path};

#[derive(Deserialize)]
struct TokenizerFile {
    model: Model,
}

#[derive(Deserialize)]
struct Model {
    vocab: HashMap<String, usize>,
}

/// Reads the pieces in the teacher's order, the most common ones first.
pub(super) fn read(model: &Path) -> Result<Vec<String>, String> {
    let path = model.join("tokenizer.json");
    let text = fs::read(&path).map_err(|error| format!("failed to read {}: {error}", path.display()))?;
    let file: TokenizerFile =
        serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut pieces: Vec<(usize, String)> =
        file.model.vocab.into_iter().map(|(piece, at)| (at, piece)).collect();
    pieces.sort();
    Ok(pieces.into_iter().map(|(_, piece)| piece).filter(|piece| is_reachable(piece)).collect())
}

/// Returns `true` if a piece can occur in a text: words have no capitals, accents and signs when they are cut.
fn is_reachable(piece: &str) -> bool {
    let text = piece.strip_prefix("##").unwrap_or(piece);
    let mut met = false;
    Vocabulary::new([text]).each_piece(text, |_| met = true);
    met
}
