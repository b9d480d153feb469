/// The meaning of a state outside its workflow; indexes, views and counts use only the category.
package enum StateCategory: String, Sendable, Codable, CaseIterable {
  /// Waiting for action.
  case open
  /// Being worked on.
  case active
  /// Completed.
  case done
  /// Ended without success.
  case failed
}
