internal import Domain
internal import FoundationEssentials
internal import Glibc
internal import Webhooks

/// A program that an operator registers for a kind of job: an executable, as in `plan.generate=./responder`,
/// or an address that receives a POST.
package struct Program: Sendable, Equatable {
  /// The location of a program.
  enum Place: Sendable, Equatable {
    /// An executable file on this machine.
    case executable(String)
    /// An address that receives a POST.
    case address(String)
  }

  /// The resource limits of a program.
  package struct Limits: Sendable, Equatable {
    /// The maximum time for one job.
    package var time: Duration
    /// The maximum memory that an executable may write to, in MiB.
    package var memory: Int

    /// Defaults to one minute and 1 GiB.
    package init(time: Duration = .seconds(60), memory: Int = 1_024) {
      self.time = time
      self.memory = memory
    }
  }

  /// The kind of job that it runs.
  package let kind: String
  let place: Place

  /// Reads `kind=./program` or `kind=https://address`.
  ///
  /// - Throws: `invalid_input`, also if the executable does not exist, so that the worker fails at startup
  ///   and not at the first job.
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
      // Absolute from here on, since the working directory may change.
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
