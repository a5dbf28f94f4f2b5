//! A syntax tree as a list in the order of the source, so that walkers need no recursion.

use super::finding::{Finding, Kind, Place};
use crate::{
    meter,
    syntax::{Interrupt, MAX_DEPTH, ParseError},
};
use std::cell::Cell;
use tree_sitter::{Node, Tree, TreeCursor};

/// The steps that the walks over any tree may take. A step inspects one node.
const STEPS: usize = 1_000_000;

/// The further steps for each node of a tree.
const STEPS_PER_NODE: usize = 64;

/// The bytes of names and texts that the walks over every tree may copy, and the further bytes for each byte of its source. Each use of
/// a name copies the name's values, so a long name that is used often would be copied without end.
const COPIED: usize = 16 << 20;
const COPIED_PER_BYTE: usize = 64;

/// The overhead of a copy, in bytes.
const COPY: usize = 32;

/// The longest name that the walks follow, in bytes, and the most dots in it.
const NAME: usize = 4_096;
const DOTS: usize = 32;

/// The steps between two checks of the interrupt.
const STEPS_PER_LOOK: usize = 4_096;

/// A node of a [`SourceTree`].
#[derive(Debug)]
pub(super) struct Item<'a> {
    /// The kind of the node, as its grammar names it.
    pub(super) kind: &'a str,
    /// The name of the node's field in its parent.
    pub(super) field: &'a str,
    /// The parent; the root's is the root.
    pub(super) parent: usize,
    /// The first node that is not below this one.
    pub(super) end: usize,
    /// True if the grammar names the node: it is neither punctuation nor a keyword.
    pub(super) named: bool,
    bytes: (usize, usize),
}

/// A syntax tree, and its source.
#[derive(Debug)]
pub(super) struct SourceTree<'a> {
    /// The nodes, every parent before its children.
    pub(super) items: Vec<Item<'a>>,
    source: &'a str,
    /// The first byte of each line.
    lines: Vec<usize>,
    /// The steps that walks may still take.
    steps: Cell<usize>,
    /// The bytes that walks may still copy.
    room: Cell<usize>,
    interrupt: Interrupt<'a>,
}

impl<'a> SourceTree<'a> {
    /// Lists the nodes of a tree.
    ///
    /// # Errors
    /// If the tree is too deep.
    pub(super) fn new(tree: &'a Tree, source: &'a str, interrupt: Interrupt<'a>) -> Result<Self, ParseError> {
        let mut words = Words::default();
        let mut items: Vec<Item<'a>> = Vec::with_capacity(tree.root_node().descendant_count());
        let mut open: Vec<usize> = Vec::new();
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            meter::count(1);
            let (kind, named) = words.kind(node);
            items.push(Item {
                kind,
                field: words.field(&cursor),
                parent: open.last().copied().unwrap_or(0),
                end: 0,
                named,
                bytes: (node.start_byte(), node.end_byte()),
            });
            if cursor.goto_first_child() {
                open.push(items.len() - 1);
                if open.len() > MAX_DEPTH {
                    return Err(ParseError::TooDeep);
                }
                continue;
            }
            let last = items.len() - 1;
            items[last].end = items.len();
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    let steps = Cell::new(STEPS + items.len() * STEPS_PER_NODE);
                    let room = Cell::new(COPIED + source.len() * COPIED_PER_BYTE);
                    let lines = starts_of_lines(source);
                    return Ok(Self { items, source, lines, steps, room, interrupt });
                }
                if let Some(at) = open.pop() {
                    items[at].end = items.len();
                }
            }
        }
    }

    /// Counts a step. Returns false once there are no steps left.
    fn step(&self) -> bool {
        let left = self.steps.get();
        if left == 0 || left.is_multiple_of(STEPS_PER_LOOK) && self.interrupt.is_set() {
            self.steps.set(0);
            return false;
        }
        meter::count(1);
        self.steps.set(left - 1);
        true
    }

    /// Counts the copy of a text. Returns false once the walks have copied too much; then no steps are left either.
    pub(super) fn copies(&self, text: &str) -> bool {
        meter::count(text.len());
        let left = self.room.get().checked_sub(text.len() + COPY).filter(|_| !self.is_exhausted());
        match left {
            Some(left) => self.room.set(left),
            None => self.exhaust(),
        }
        left.is_some()
    }

    /// Counts the copy of a name, like [`Self::copies`]. A name that is too long counts as too much.
    pub(super) fn copies_name(&self, name: &str) -> bool {
        if name.len() > NAME || name.matches('.').count() > DOTS {
            self.exhaust();
        }
        self.copies(name)
    }

    /// Returns a finding at a node, unless the walks have copied too much.
    pub(super) fn finding(&self, at: usize, kind: Kind) -> Option<Finding> {
        let has_room = match &kind {
            Kind::Import(name) | Kind::Use(name) | Kind::Member(name) | Kind::Global(name) => {
                self.copies_name(name)
            }
            Kind::Does(_, text) | Kind::Undecided(text) => self.copies(text),
        };
        has_room.then(|| Finding { kind, place: self.place(at) })
    }

    /// Leaves as much room for copies as another tree has left.
    pub(super) fn share_room(&self, other: &Self) {
        self.room.set(other.room.get());
    }

    /// Returns whether the walks took too many steps, copied too much, or were interrupted. What they found is then incomplete.
    pub(super) fn is_exhausted(&self) -> bool {
        self.steps.get() == 0
    }

    /// Leaves no steps, because the walk over a tree inside this one was incomplete.
    pub(super) fn exhaust(&self) {
        self.steps.set(0);
    }

    /// Returns the interrupt of the walks.
    pub(super) fn interrupt(&self) -> Interrupt<'a> {
        self.interrupt
    }

    /// Returns the nodes that the grammar names, as long as there are steps left.
    pub(super) fn named(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.items.len()).take_while(|_| self.step()).filter(|at| self.items[*at].named)
    }

    /// Returns the text of a node.
    pub(super) fn text(&self, at: usize) -> &'a str {
        let (start, end) = self.items[at].bytes;
        self.source.get(start..end).unwrap_or_default()
    }

    /// Returns the character before a node.
    pub(super) fn before(&self, at: usize) -> Option<char> {
        self.source.get(..self.items[at].bytes.0)?.chars().next_back()
    }

    /// Returns the text between two nodes.
    pub(super) fn between(&self, first: usize, second: usize) -> &'a str {
        self.source.get(self.items[first].bytes.1..self.items[second].bytes.0).unwrap_or_default()
    }

    /// Returns the place of a node.
    pub(super) fn place(&self, at: usize) -> Place {
        let (byte, _) = self.items[at].bytes;
        let line = self.lines.partition_point(|start| *start <= byte);
        Place { line, column: byte - self.lines[line - 1] + 1 }
    }

    /// Returns the kind of a node.
    pub(super) fn kind(&self, at: usize) -> &'a str {
        self.step();
        self.items[at].kind
    }

    /// Returns the children of a node.
    pub(super) fn children(&self, of: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.items[of].end;
        let next = |at: &usize| self.items.get(*at).map(|item| item.end);
        std::iter::successors(Some(of + 1), next).take_while(move |at| *at < end && self.step())
    }

    /// Returns the children that the grammar names, without comments.
    pub(super) fn named_children(&self, of: usize) -> impl Iterator<Item = usize> + '_ {
        self.children(of).filter(|at| self.items[*at].named && self.items[*at].kind != "comment")
    }

    /// Returns the child in a field.
    pub(super) fn field(&self, of: usize, name: &str) -> Option<usize> {
        self.children(of).find(|at| self.items[*at].field == name)
    }

    /// Returns the parent of a node.
    pub(super) fn parent(&self, of: usize) -> usize {
        self.items[of].parent
    }

    /// Returns whether a node has no children.
    pub(super) fn is_leaf(&self, at: usize) -> bool {
        self.items[at].end == at + 1
    }
}

/// The words of a grammar that were met, by their numbers.
#[derive(Default)]
struct Words<'a> {
    /// The kinds of nodes, and whether the grammar names them.
    kinds: Vec<Option<(&'a str, bool)>>,
    fields: Vec<Option<&'a str>>,
}

impl<'a> Words<'a> {
    fn kind(&mut self, node: Node<'a>) -> (&'a str, bool) {
        *entry(&mut self.kinds, node.kind_id()).get_or_insert_with(|| (node.kind(), node.is_named()))
    }

    fn field(&mut self, cursor: &TreeCursor<'a>) -> &'a str {
        let Some(id) = cursor.field_id() else { return "" };
        entry(&mut self.fields, id.get()).get_or_insert_with(|| cursor.field_name().unwrap_or_default())
    }
}

fn entry<T: Clone>(words: &mut Vec<Option<T>>, id: u16) -> &mut Option<T> {
    let id = usize::from(id);
    if words.len() <= id {
        words.resize(id + 1, None);
    }
    &mut words[id]
}

fn starts_of_lines(source: &str) -> Vec<usize> {
    let after = source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(after).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Grammar, parse};

    #[test]
    fn nodes_have_the_grammar_s_kind_field_and_position() {
        let source = "x = 1\n\ndef f(a): return a.b\n";
        let tree = parse(Grammar::Python, source, Interrupt::NEVER).unwrap();
        let list = SourceTree::new(&tree, source, Interrupt::NEVER).unwrap();
        let mut cursor = tree.walk();
        for at in 0..list.items.len() {
            cursor.goto_descendant(at);
            let (node, item) = (cursor.node(), &list.items[at]);
            assert_eq!(
                (item.kind, item.field, item.named),
                (node.kind(), cursor.field_name().unwrap_or_default(), node.is_named())
            );
            let start = node.start_position();
            assert_eq!(list.place(at), Place { line: start.row + 1, column: start.column + 1 });
        }
        assert_eq!(list.items.len(), tree.root_node().descendant_count());
    }

    #[test]
    fn deep_trees_are_refused() {
        for grammar in [Grammar::Python, Grammar::JavaScript] {
            let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
            let tree = parse(grammar, &deep, Interrupt::NEVER).unwrap();
            assert_eq!(SourceTree::new(&tree, &deep, Interrupt::NEVER).unwrap_err(), ParseError::TooDeep);
        }
    }
}
