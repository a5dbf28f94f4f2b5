//! Makes a table from texts and a teacher.

use super::{axes, teacher::Teacher, texts::Texts, train::Parameters, vocabulary};
use crate::arguments::DistillArguments;
use mgp_toolindex::embed::{StaticEmbedder, Table, Vocabulary};
use std::fs;

/// The most pieces of a text that are learned from.
const MAX_PIECES: usize = 256;

pub(crate) fn run(arguments: &DistillArguments) -> Result<String, String> {
    let mut texts = Texts::default();
    for folder in &arguments.text {
        texts.read(folder)?;
    }
    let pieces = vocabulary::read(&arguments.model)?;
    eprintln!("{} texts, {} pieces of words", texts.all.len(), pieces.len());
    let teacher = Teacher::load(&arguments.model, arguments.cache.clone())?;
    let said = teacher.embed(&texts.all)?;
    let plain: Vec<String> =
        pieces.iter().map(|piece| piece.strip_prefix("##").unwrap_or(piece).to_owned()).collect();
    let of_pieces = teacher.embed(&plain)?;

    let axes = axes::principal(&said, teacher.dimensions(), arguments.dimensions);
    let wanted = axes::project(&said, &axes, teacher.dimensions());
    let begin = axes::project(&without_mean(&of_pieces, teacher.dimensions()), &axes, teacher.dimensions());
    let vocabulary = Vocabulary::new(pieces.iter().map(String::as_str));
    let cut: Vec<Vec<u32>> = texts.all.iter().map(|text| cut(&vocabulary, text)).collect();
    let mut learned = Parameters::begin(begin, arguments.dimensions);
    learned.learn(&cut, &wanted);

    let bytes = Table::write(&pieces, &learned.into_vectors());
    let table = StaticEmbedder::from_bytes(bytes.clone()).map_err(|error| error.to_string())?;
    let path = arguments.out.display();
    fs::write(&arguments.out, &bytes).map_err(|error| format!("failed to write {path}: {error}"))?;
    Ok(format!(
        "{path}: {table:?}, {} pieces, {} dimensions, {} bytes",
        pieces.len(),
        arguments.dimensions,
        bytes.len()
    ))
}

fn cut(vocabulary: &Vocabulary, text: &str) -> Vec<u32> {
    let mut pieces = Vec::new();
    vocabulary.each_piece(text, |piece| pieces.push(piece));
    pieces.truncate(MAX_PIECES);
    pieces
}

/// Subtracts the mean from vectors: the part that all vectors share says nothing about a piece.
fn without_mean(vectors: &[f32], dimensions: usize) -> Vec<f32> {
    let count = (vectors.len() / dimensions).max(1) as f32;
    let mut mean = vec![0.0_f32; dimensions];
    for vector in vectors.chunks_exact(dimensions) {
        mean.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x / count);
    }
    vectors
        .chunks_exact(dimensions)
        .flat_map(|vector| vector.iter().zip(&mean).map(|(x, mean)| x - mean))
        .collect()
}
