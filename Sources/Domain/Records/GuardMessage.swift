/// A message that is shown if a guard refuses.
package struct GuardMessage: Sendable, Hashable {
  /// The name by which guards refer to the message.
  package let name: String
  /// The text of the message, a sentence.
  package let text: String

  /// Creates a message.
  package init(name: String, text: String) {
    self.name = name
    self.text = text
  }
}
