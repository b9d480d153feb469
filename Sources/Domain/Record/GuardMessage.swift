/// The message shown if a guard refuses.
package struct GuardMessage: Sendable, Hashable {
  /// The name used by guards.
  package let name: String
  /// The sentence.
  package let text: String

  /// Creates a message.
  package init(name: String, text: String) {
    self.name = name
    self.text = text
  }
}
