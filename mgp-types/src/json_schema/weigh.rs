//! The number of schemas that apply to one value.

use super::{
    Dialect, SchemaError,
    limits::{APPLIED_DEPTH, APPLIED_SCHEMAS},
    references::{self, Reference},
    survey::Survey,
};

/// A step from one schema to another that applies to the same value.
struct Edge<'s> {
    to: usize,
    /// The reference, if the step follows one.
    by: Option<Reference<'s>>,
}

#[derive(Clone, Copy)]
enum Weight {
    Unknown,
    /// The schema is being weighed.
    Open,
    Known {
        /// The number of schemas that apply, including the schema itself.
        schemas: u64,
        /// The number of steps to the last of them.
        depth: usize,
    },
}

/// Returns the largest number of schemas that apply to one value. Checks that the number is finite, and that every reference leads
/// somewhere.
///
/// # Errors
/// [`SchemaError::Outside`], [`SchemaError::Endless`] and [`SchemaError::TooLarge`].
pub(super) fn heaviest(mut survey: Survey<'_>, dialect: Dialect) -> Result<u64, SchemaError> {
    let mut edges: Vec<Vec<Edge<'_>>> = Vec::new();
    // A reference may lead to a place that no keyword leads to, which adds schemas to the walk.
    while let Some(schema) = survey.schemas.get(edges.len()) {
        let mut of_this: Vec<_> = schema.same.iter().map(|&to| Edge { to, by: None }).collect();
        if let Some(members) = schema.members {
            let base = schema.base.clone();
            for reference in references::of(members, dialect) {
                for (target, base) in survey.references.follow(reference, &base)? {
                    of_this.push(Edge { to: survey.visit(target, &base)?, by: Some(reference) });
                }
            }
        }
        edges.push(of_this);
    }
    let mut weights = vec![Weight::Unknown; edges.len()];
    let mut heaviest = 0;
    for at in 0..edges.len() {
        heaviest = heaviest.max(weigh(at, &edges, &mut weights, ("$ref", ""), 0)?.0);
    }
    Ok(heaviest)
}

/// Returns the number of schemas that apply wherever this one does, and the number of steps to the last of them. `last` is the reference
/// that was followed last.
fn weigh<'s>(
    at: usize,
    edges: &[Vec<Edge<'s>>],
    weights: &mut [Weight],
    last: Reference<'s>,
    above: usize,
) -> Result<(u64, usize), SchemaError> {
    match weights[at] {
        Weight::Known { schemas, depth } => return Ok((schemas, depth)),
        Weight::Open => {
            let (keyword, reference) = last;
            return Err(SchemaError::Endless { keyword, reference: super::dialect::shown(reference) });
        }
        Weight::Unknown => {}
    }
    let too_deep = || SchemaError::TooLarge {
        what: "$ref, allOf and the like that follow each other for one value",
        limit: APPLIED_DEPTH as u64,
    };
    if above > APPLIED_DEPTH {
        return Err(too_deep());
    }
    weights[at] = Weight::Open;
    let (mut schemas, mut depth) = (1u64, 0);
    for edge in &edges[at] {
        let inner = weigh(edge.to, edges, weights, edge.by.unwrap_or(last), above + 1)?;
        schemas = schemas.saturating_add(inner.0);
        depth = depth.max(inner.1 + 1);
    }
    if depth > APPLIED_DEPTH {
        return Err(too_deep());
    }
    if schemas > APPLIED_SCHEMAS {
        let what = "schemas that apply to one value through $ref, allOf and the like";
        return Err(SchemaError::TooLarge { what, limit: APPLIED_SCHEMAS });
    }
    weights[at] = Weight::Known { schemas, depth };
    Ok((schemas, depth))
}
