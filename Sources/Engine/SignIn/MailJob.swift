package import FoundationEssentials
internal import Postgres
package import Store

/// The payload of a job that sends one mail. It contains ids only: a code is created when its mail is sent.
package struct MailJob: Codable, Sendable, Hashable {
  /// The kind of the jobs.
  package static let kind = "mail.send"
  /// The company of the jobs for mails about accounts, which belong to no company.
  package static let accounts = UUID(uuid: (0, 0, 0, 0, 0, 0, 0x70, 0, 0x80, 0, 0, 0, 0, 0, 0, 0))
  /// The number of attempts: with the pauses of the handler, about eight hours.
  private static let attempts = 14

  /// The letter to send.
  package enum Letter: String, Codable, Sendable, CaseIterable {
    /// A code that verifies an address. The id is that of the request.
    case verify
    /// A code that resets a password. The id is that of the request.
    case reset
    /// A code that redeems an invitation. The id is that of the invitation.
    case invite
    /// One notice. The id is that of the notice.
    case notice
    /// The open notices of a member. The id is that of the user.
    case digest
  }

  package let letter: Letter
  package let id: UUID

  package init(_ letter: Letter, _ id: UUID) {
    self.letter = letter
    self.id = id
  }

  /// Returns the job. While an equal one is waiting or running, another one is not enqueued.
  package func job(id: UUID) throws -> NewJob {
    NewJob(
      id: id,
      kind: Self.kind,
      maxAttempts: Self.attempts,
      payload: try JSON(encoding: self),
      uniqueKey: "\(letter.rawValue):\(self.id.uuidString.lowercased())"
    )
  }
}
