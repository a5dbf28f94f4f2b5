//! A syntax tree as a list in the order of the source, so that walkers need no recursion.

use super::finding::Place;
use tree_sitter::Tree;

/// A node of a [`SourceTree`].
#[derive(Debug)]
pub(super) struct Item<'a> {
    /// The kind of the node, in the words of its grammar.
    pub(super) kind: &'a str,
    /// The field of its parent that the node is.
    pub(super) field: &'a str,
    /// The parent; the root's is the root.
    pub(super) parent: usize,
    /// The first node that is not below this one.
    pub(super) end: usize,
    /// True if the grammar names the node: it is no punctuation and no keyword.
    pub(super) named: bool,
    bytes: (usize, usize),
    place: Place,
}

/// A syntax tree, and its source.
#[derive(Debug)]
pub(super) struct SourceTree<'a> {
    /// The nodes, every parent before its children.
    pub(super) items: Vec<Item<'a>>,
    source: &'a str,
}

impl<'a> SourceTree<'a> {
    /// Lists the nodes of a tree.
    pub(super) fn new(tree: &'a Tree, source: &'a str) -> Self {
        let mut items: Vec<Item<'a>> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut cursor = tree.walk();
        loop {
            let node = cursor.node();
            let start = node.start_position();
            items.push(Item {
                kind: node.kind(),
                field: cursor.field_name().unwrap_or_default(),
                parent: open.last().copied().unwrap_or(0),
                end: 0,
                named: node.is_named(),
                bytes: (node.start_byte(), node.end_byte()),
                place: Place { line: start.row + 1, column: start.column + 1 },
            });
            if cursor.goto_first_child() {
                open.push(items.len() - 1);
                continue;
            }
            let last = items.len() - 1;
            items[last].end = items.len();
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Self { items, source };
                }
                if let Some(at) = open.pop() {
                    items[at].end = items.len();
                }
            }
        }
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

    /// Returns what stands between two nodes.
    pub(super) fn between(&self, first: usize, second: usize) -> &'a str {
        self.source.get(self.items[first].bytes.1..self.items[second].bytes.0).unwrap_or_default()
    }

    /// Returns the place of a node.
    pub(super) fn place(&self, at: usize) -> Place {
        self.items[at].place
    }

    /// Returns the kind of a node.
    pub(super) fn kind(&self, at: usize) -> &'a str {
        self.items[at].kind
    }

    /// Returns the children of a node.
    pub(super) fn children(&self, of: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.items[of].end;
        let next = |at: &usize| self.items.get(*at).map(|item| item.end);
        std::iter::successors(Some(of + 1), next).take_while(move |at| *at < end)
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
