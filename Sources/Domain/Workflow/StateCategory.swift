/// What a state means to somebody who does not know the workflow; indexes, views and counts ask only this.
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
