/// A message that cannot be written: a value would change its header or cannot be sent.
package struct MailError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The message, without the refused value.
  package let message: String

  package init(_ message: String) { self.message = message }

  package var description: String { message }
}
