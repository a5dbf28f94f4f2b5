//! A table as a file.
//!
//! All numbers are little-endian: the eight bytes `MGPTABLE`; as `u32` the version (1), the number of dimensions, the
//! number of pieces and the length of their names in bytes; the names, one per line; for each piece its scale, as `f32`;
//! and for each piece its vector, one byte per number.

use std::borrow::Cow;
use thiserror::Error;

const MAGIC: &[u8; 8] = b"MGPTABLE";
const VERSION: u32 = 1;
const HEADER: usize = 24;

/// The most dimensions and the most pieces that a table may have.
const MAX_DIMENSIONS: usize = 4096;
const MAX_PIECES: usize = 1 << 20;

/// A table of vectors, one for each piece of a word, in the form of the file.
#[derive(Debug, Clone)]
pub struct Table {
    bytes: Cow<'static, [u8]>,
    dimensions: usize,
    /// The offset of the scales, which is the end of the names.
    scales: usize,
    /// The offset of the vectors.
    vectors: usize,
}

/// The error of bytes that are not a table.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TableError {
    /// The bytes do not begin like a table.
    #[error("not a table of vectors: expected it to begin with MGPTABLE")]
    NoTable,
    /// The table has another version.
    #[error("a table of version {0}: expected {VERSION}")]
    Version(u32),
    /// A part of the table does not fit the rest of it.
    #[error("a table whose {0} does not fit the rest of it")]
    Damaged(&'static str),
}

impl Table {
    /// Reads a table without copying it.
    ///
    /// # Errors
    /// Returns a [`TableError`] if the bytes are not a table.
    pub fn read(bytes: impl Into<Cow<'static, [u8]>>) -> Result<Self, TableError> {
        let bytes = bytes.into();
        if bytes.len() < HEADER || !bytes.starts_with(MAGIC) {
            return Err(TableError::NoTable);
        }
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap_or_default());
        if number(8) != VERSION {
            return Err(TableError::Version(number(8)));
        }
        let [dimensions, count, names] = [number(12), number(16), number(20)].map(|n| n as usize);
        if !(1..=MAX_DIMENSIONS).contains(&dimensions) {
            return Err(TableError::Damaged("number of dimensions"));
        }
        if count > MAX_PIECES {
            return Err(TableError::Damaged("number of pieces"));
        }
        let body = bytes.len() - HEADER;
        if names > body || body - names != count * (4 + dimensions) {
            return Err(TableError::Damaged("length"));
        }
        let scales = HEADER + names;
        let pieces =
            std::str::from_utf8(&bytes[HEADER..scales]).map_err(|_| TableError::Damaged("list of pieces"))?;
        if pieces.lines().count() != count {
            return Err(TableError::Damaged("list of pieces"));
        }
        Ok(Self { dimensions, scales, vectors: scales + count * 4, bytes })
    }

    /// Returns the number of dimensions of a vector.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Returns the pieces, in the order of their numbers.
    pub fn pieces(&self) -> impl Iterator<Item = &str> {
        std::str::from_utf8(&self.bytes[HEADER..self.scales]).unwrap_or_default().lines()
    }

    /// Returns the scales, in the form of the file.
    pub(super) fn scales(&self) -> &[u8] {
        &self.bytes[self.scales..self.vectors]
    }

    /// Adds the vector of a piece to a sum.
    pub(super) fn add_to(&self, piece: usize, sum: &mut [f32]) {
        let vectors = &self.bytes[self.vectors..];
        let Some(scale) = self.scales().get(piece * 4..piece * 4 + 4) else { return };
        let scale = f32::from_le_bytes(scale.try_into().unwrap_or_default());
        let vector = &vectors[piece * self.dimensions..(piece + 1) * self.dimensions];
        for (sum, number) in sum.iter_mut().zip(vector) {
            *sum += scale * f32::from(number.cast_signed());
        }
    }

    /// Returns the bytes of a table.
    ///
    /// # Panics
    /// Panics if the numbers of pieces and vectors differ, a vector has another number of dimensions than the first one, or a
    /// piece holds a line break.
    #[must_use]
    pub fn write(pieces: &[String], vectors: &[Vec<f32>]) -> Vec<u8> {
        let dimensions = vectors.first().map_or(1, Vec::len);
        assert_eq!(pieces.len(), vectors.len(), "each piece has a vector");
        assert!(pieces.iter().all(|piece| !piece.contains(['\n', '\r'])), "a piece is one line");
        let names = pieces.join("\n");
        let mut bytes = MAGIC.to_vec();
        for number in [VERSION as usize, dimensions, pieces.len(), names.len()] {
            bytes.extend(u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
        }
        bytes.extend(names.as_bytes());
        let largest = |vector: &Vec<f32>| vector.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        let scales: Vec<f32> =
            vectors.iter().map(|vector| (largest(vector) / 127.0).max(f32::MIN_POSITIVE)).collect();
        scales.iter().for_each(|scale| bytes.extend(scale.to_le_bytes()));
        for (vector, scale) in vectors.iter().zip(&scales) {
            assert_eq!(vector.len(), dimensions, "all vectors have as many dimensions");
            bytes.extend(vector.iter().map(|x| ((x / scale).round() as i8).cast_unsigned()));
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_table_reads_back_and_a_damaged_one_is_refused() {
        let pieces = ["a".to_owned(), "##b".to_owned()];
        let bytes = Table::write(&pieces, &[vec![1.0, -0.5], vec![0.0, 0.25]]);
        let table = Table::read(bytes.clone()).unwrap();
        let mut sum = [0.0, 0.0];
        table.add_to(0, &mut sum);
        table.add_to(1, &mut sum);
        table.add_to(7, &mut sum);
        assert_eq!((table.pieces().collect::<Vec<_>>(), table.dimensions()), (vec!["a", "##b"], 2));
        assert!((sum[0] - 1.0).abs() < 0.01 && (sum[1] + 0.25).abs() < 0.01, "{sum:?}");

        assert_eq!(Table::read(b"MGPTABLE".as_slice()).unwrap_err(), TableError::NoTable);
        for cut in HEADER..bytes.len() {
            assert!(Table::read(bytes[..cut].to_vec()).is_err(), "{cut}");
        }
        for (at, error) in [
            (8, TableError::Version(0xff)),
            (13, TableError::Damaged("number of dimensions")),
            (16, TableError::Damaged("length")),
            (19, TableError::Damaged("number of pieces")),
            (20, TableError::Damaged("length")),
            (24, TableError::Damaged("list of pieces")),
        ] {
            let mut bytes = bytes.clone();
            bytes[at] = 0xff;
            assert_eq!(Table::read(bytes).unwrap_err(), error, "{at}");
        }
    }
}
