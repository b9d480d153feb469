import Domain
import SyncProtocol
import Testing

/// The states of a change as vectors for the scripts of browsers.
@Suite(.timeLimit(.minutes(60))) struct SyncItemVectorTests {
  @Test func `the moves of a change are the recorded ones`() throws {
    var moves: [JSONValue] = []
    for status in SyncStatus.allCases {
      for attempts in 0...3 {
        for event in SyncItem.Event.allCases {
          var item = SyncItem(status: status, attempts: attempts)
          var move: JSONObject = [
            "status": .string(status.rawValue), "attempts": .integer(attempts),
            "event": .string(event.rawValue),
          ]
          do {
            try item.apply(event)
            move["to"] = ["status": .string(item.status.rawValue), "attempts": .integer(item.attempts)]
          } catch {
            move["to"] = .null
          }
          moves.append(.object(move))
        }
      }
    }
    let judgements = SyncJudgement.allCases.map { judgement -> JSONValue in
      [
        "judgement": .string(judgement.rawValue), "event": .string(judgement.event.rawValue),
        "final": .bool(judgement.isFinal),
      ]
    }
    let decisions = SyncResolution.allCases.flatMap { decision in
      [SyncStatus.conflict, .failed].map { status -> JSONValue in
        [
          "take": .string(decision.rawValue), "status": .string(status.rawValue),
          "event": .string(decision.event(in: status).rawValue),
        ]
      }
    }
    let open = SyncStatus.allCases.filter(\.isOpen).map { JSONValue.string($0.rawValue) }
    let limits: [JSONValue] = [
      ["name": "mutations", "value": .integer(SyncLimits.mutations)],
      ["name": "request_bytes", "value": .integer(SyncLimits.requestBytes)],
      ["name": "mutation_bytes", "value": .integer(SyncLimits.mutationBytes)],
      ["name": "queued", "value": .integer(SyncLimits.queued)],
      ["name": "known", "value": .integer(SyncLimits.known)],
      ["name": "attempts", "value": .integer(SyncItem().maximumAttempts)],
    ]
    try VectorFile.require(
      "sync-item.json",
      ["moves": moves, "judgements": judgements, "decisions": decisions, "open": open, "limits": limits]
    )
  }
}
