internal import Domain
internal import FoundationEssentials
internal import Glibc
internal import Webhooks

/// What an operator registers for a kind of job: `plan.generate=./responder`, or an address that is posted to.
package struct Program: Sendable, Equatable {
  /// How it is reached.
  enum Place: Sendable, Equatable {
    /// An executable file of this machine.
    case executable(String)
    /// An address that takes a POST.
    case address(String)
  }

  /// The limits under which it works.
  package struct Limits: Sendable, Equatable {
    /// How long it may take for one job.
    package var time: Duration
    /// How much memory an executable may write to, in MiB.
    package var memory: Int

    /// A minute and 1 GiB, unless said otherwise.
    package init(time: Duration = .seconds(60), memory: Int = 1_024) {
      self.time = time
      self.memory = memory
    }
  }

  /// The kind of job it does.
  package let kind: String
  let place: Place

  /// Reads `kind=./program` or `kind=https://address`.
  ///
  /// - Throws: `invalid_input`, also when there is no such executable: a worker says so when it starts, not when the
  ///   first job fails.
  package init(_ text: String) throws {
    let halves = text.split(separator: "=", maxSplits: 1).map(String.init)
    guard halves.count == 2, Identifier.isDotted(halves[0], words: 1...4) else {
      throw DomainError(
        .invalidInput,
        "\(Quoted(text)) is not kind=program",
        hint: "write plan.generate=./responder or plan.generate=https://…"
      )
    }
    kind = halves[0]
    if halves[1].contains("://") {
      if let fault = Webhook.fault(in: halves[1]) { throw DomainError(.invalidInput, fault) }
      place = .address(halves[1])
    } else {
      // Absolute from here on, since nobody can say where a worker stands later.
      guard let path = realpath(halves[1], nil) else {
        throw DomainError(.invalidInput, "there is no program \(Quoted(halves[1]))", hint: "check the path")
      }
      defer { free(path) }
      guard access(path, X_OK) == 0 else {
        throw DomainError(
          .invalidInput,
          "\(Quoted(halves[1])) cannot be executed",
          hint: "chmod +x \(halves[1])"
        )
      }
      place = .executable(String(cString: path))
    }
  }
}
