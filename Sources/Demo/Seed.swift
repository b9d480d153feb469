package import FoundationEssentials
package import Postgres
package import Store

/// A generated record.
package struct Seed {
  /// A change after the creation of the record.
  package struct Step {
    let draft: HistoryDraft
    let at: Instant

    package init(draft: HistoryDraft, at: Instant) {
      self.draft = draft
      self.at = at
    }
  }

  package let id: UUID
  package let createdAt: Instant
  /// The member who created the record; nil for none.
  package let maker: UUID?
  /// The final status.
  package var status: String?
  /// The column values as text, in the order of the written columns.
  package let cells: [String?]
  /// The later changes, oldest first.
  package var steps: [Step] = []
  package var isDeleted = false

  package init(id: UUID, createdAt: Instant, maker: UUID?, status: String? = nil, cells: [String?]) {
    self.id = id
    self.createdAt = createdAt
    self.maker = maker
    self.status = status
    self.cells = cells
  }

  /// The time of the last change.
  var updatedAt: Instant { steps.last?.at ?? createdAt }
}
