import FettleClient
import Synchronization

/// Loses and repeats requests and answers, at random from a seed.
final class FaultyTransport: Transport {
  private struct State {
    var generator: SeededGenerator
    /// The probability of a fault of a request, in percent.
    var percent = 0
  }

  private enum Fault: CaseIterable {
    case unsent, unanswered, repeated, repeatedAtOnce, repeatedUnanswered
  }

  private let transport: any Transport
  private let state: Mutex<State>

  init(_ transport: any Transport, seed: UInt64) {
    self.transport = transport
    state = Mutex(State(generator: SeededGenerator(seed: seed)))
  }

  /// Sets the probability of a fault of a request, in percent.
  func fail(_ percent: Int) { state.withLock { $0.percent = percent } }

  func send(_ request: Request) async throws -> Response {
    let fault = state.withLock { state -> Fault? in
      guard Int.random(in: 0..<100, using: &state.generator) < state.percent else { return nil }
      return Fault.allCases.randomElement(using: &state.generator)
    }
    switch fault {
    case nil: return try await transport.send(request)
    case .unsent: throw ClientError(.offline, "the model loses the request")
    case .unanswered:
      _ = try await transport.send(request)
      throw ClientError(.unanswered, "the model loses the answer")
    case .repeated:
      _ = try await transport.send(request)
      return try await transport.send(request)
    case .repeatedAtOnce:
      let transport = transport
      async let first = transport.send(request)
      async let second = transport.send(request)
      _ = try await first
      return try await second
    case .repeatedUnanswered:
      _ = try await transport.send(request)
      _ = try await transport.send(request)
      throw ClientError(.unanswered, "the model loses both answers")
    }
  }
}
