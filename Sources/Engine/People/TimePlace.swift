package import Domain
package import FoundationEssentials

/// The place of a row in a list that is sorted by time and id: the cursor of the next page.
package struct TimePlace: Sendable, Hashable {
  package let at: Instant
  package let id: UUID

  package init(at: Instant, id: UUID) {
    self.at = at
    self.id = id
  }

  /// Parses the text of a cursor.
  ///
  /// - Throws: `invalid_input`.
  package init(parsing text: String) throws(DomainError) {
    let halves = text.split(separator: "_", omittingEmptySubsequences: false)
    guard halves.count == 2, halves[0].utf8.count <= 18, let at = Int64(halves[0]), at >= 0,
      let id = UUID(text: String(halves[1]))
    else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(text)) is not a cursor",
        hint: "use `next` of the previous page"
      )
    }
    self.init(at: Instant(microseconds: at), id: id)
  }

  /// The text of the cursor.
  package var text: String { "\(at.microseconds)_\(id.uuidString.lowercased())" }
}
