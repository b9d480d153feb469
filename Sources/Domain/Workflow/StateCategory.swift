/// Meaning of a state outside its workflow; indexes, views and counts use only the category.
package enum StateCategory: String, Sendable, Codable, CaseIterable {
  /// Waiting for somebody.
  case open
  /// Being worked on.
  case active
  /// Nothing left to do.
  case done
  /// Ended without success.
  case failed
}
