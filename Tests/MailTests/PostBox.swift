import Domain
import Engine
import FoundationEssentials
import Jobs
import Mail
import Synchronization

/// A mailer that keeps its messages and answers as the test says.
final class PostBox: Mailer {
  private let state = Mutex<(messages: [MailMessage], outcomes: [MailOutcome])>(([], []))

  /// The messages of all attempts.
  var messages: [MailMessage] { state.withLock { $0.messages } }

  /// Sets the outcomes of the next attempts; further ones are accepted.
  func answer(_ outcomes: MailOutcome...) { state.withLock { $0.outcomes = outcomes } }

  func send(_ message: MailMessage) async -> MailOutcome {
    state.withLock { state in
      state.messages.append(message)
      return state.outcomes.isEmpty
        ? .accepted(MailAnswer(code: 250, text: "queued")) : state.outcomes.removeFirst()
    }
  }

  /// Returns the code in the plain text of the last message.
  var code: String? {
    messages.last?.text.split(separator: "\n").first { $0.hasPrefix("    ") }?.trimmingPrefix("    ")
      .description
  }

  /// Returns a handler that sends to this box.
  func handler(_ services: Services) throws -> MailHandler {
    MailHandler(self, from: try MailAddress(parsing: "fettle@acme.example"), keys: services.keys)
  }
}
