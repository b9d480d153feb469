/// Sends mails.
package protocol Mailer: Sendable {
  /// Makes one attempt to send a mail. Does not throw: every failure is an outcome on which the queue can act.
  ///
  /// Cancelling the task ends the attempt within about a second, with a temporary outcome.
  func send(_ message: MailMessage) async -> MailOutcome
}
