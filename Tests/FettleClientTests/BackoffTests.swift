import Testing

@testable import FettleClient

@Suite struct BackoffTests {
  @Test func `pauses double up to five minutes, are random, and begin again after a success`() {
    var (backoff, generator) = (Backoff(), SystemRandomNumberGenerator())
    for full in [2.0, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300] {
      let pause = backoff.next(using: &generator)
      #expect(pause >= .seconds(full / 2) && pause <= .seconds(full))
    }
    backoff.reset()
    #expect(backoff.next(using: &generator) <= .seconds(2))
  }
}
