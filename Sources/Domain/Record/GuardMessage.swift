/// Text that people read when a guard refuses.
package struct GuardMessage: Sendable, Hashable {
  /// The name by which guards call it.
  package let name: String
  /// The sentence.
  package let text: String

  /// Puts a message together.
  package init(name: String, text: String) {
    self.name = name
    self.text = text
  }
}
