import FettleClient
import Synchronization
import TestDatabase
import TestTools

/// Loses and repeats requests and answers, at random from a seed.
final class FaultyTransport: Transport {
  private struct State {
    var generator: SeededRandom
    /// The probability of a fault of a request, in percent.
    var percent = 0
    var strike: Strike?
    var hasStruck = false
    var counts = (requests: 0, faults: 0)
  }

  /// An action during a later request.
  private struct Strike {
    /// The number of requests until then.
    var requests: Int
    let delay: Duration
    let action: @Sendable () throws -> Void
  }

  private enum Fault: CaseIterable {
    case unsent, unanswered, repeated, repeatedAtOnce, repeatedUnanswered
  }

  private let transport: any Transport
  private let state: Mutex<State>

  init(_ transport: any Transport, seed: UInt64) {
    self.transport = transport
    state = Mutex(State(generator: SeededRandom(seed: seed)))
  }

  /// Sets the probability of a fault of a request, in percent.
  func fail(_ percent: Int) { state.withLock { $0.percent = percent } }

  /// Runs an action during a later request, some time after its beginning.
  func strike(at requests: Int, after delay: Duration, _ action: @escaping @Sendable () throws -> Void) {
    state.withLock {
      $0.strike = Strike(requests: requests, delay: delay, action: action)
      $0.hasStruck = false
    }
  }

  /// Forgets the action.
  ///
  /// - Returns: true if it has not run.
  func standDown() -> Bool {
    state.withLock { state in
      state.strike = nil
      defer { state.hasStruck = false }
      return !state.hasStruck
    }
  }

  /// The numbers of requests, and of those with a fault.
  var counts: (requests: Int, faults: Int) { state.withLock(\.counts) }

  /// True if the action has run.
  var hasStruck: Bool { state.withLock(\.hasStruck) }

  /// Returns the action if its request has come.
  private func due() -> Strike? {
    state.withLock { state in
      state.strike?.requests -= 1
      guard let strike = state.strike, strike.requests <= 0 else { return nil }
      (state.strike, state.hasStruck) = (nil, true)
      return strike
    }
  }

  func send(_ request: Request) async throws -> Response {
    guard let strike = due() else { return try await faulty(request) }
    async let answer = transport.send(request)
    try await Task.sleep(for: strike.delay)
    try strike.action()
    return try await answer
  }

  private func faulty(_ request: Request) async throws -> Response {
    let fault = state.withLock { state -> Fault? in
      state.counts.requests += 1
      guard Int.random(in: 0..<100, using: &state.generator) < state.percent else { return nil }
      state.counts.faults += 1
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
