internal import FoundationEssentials

/// The lanes that may have jobs, in turn. A lane that is being claimed from is out of the walk until the answer is
/// there, and back in it if it has more, or if it was told of meanwhile.
struct LaneWalk: Sendable {
  private enum State { case waiting, out, toldOf }

  private var turns: Turns<Lane>
  private var states: [UUID: State] = [:]

  /// - Parameter weights: of queues; 1 for those not named.
  init(weights: [String: Int] = [:]) {
    turns = Turns(weights: weights)
  }

  /// Whether there is no lane to claim from at once.
  var isEmpty: Bool { turns.isEmpty }

  /// Adds lanes that have got jobs: a new company behind the others, a new lane behind its company's.
  ///
  /// - Returns: how many were not known.
  @discardableResult
  mutating func add(_ lanes: some Sequence<Lane>) -> Int {
    var new = 0
    for lane in lanes {
      switch states[lane.id] {
      case nil:
        new += 1
        states[lane.id] = .waiting
        turns.add(lane, at: lane.place)
      case .out: states[lane.id] = .toldOf
      case .waiting, .toldOf: break
      }
    }
    return new
  }

  /// Takes out the next lanes to be claimed from; each is to be put back with ``put(_:hasMore:)``.
  mutating func next(_ count: Int) -> [Lane] {
    var lanes: [Lane] = []
    while lanes.count < count, let lane = turns.next() {
      // One priority at a time: what is less urgent waits until nothing else is left.
      if let first = lanes.first, first.priority != lane.priority {
        turns.add(lane, at: lane.place)
        break
      }
      states[lane.id] = .out
      lanes.append(lane)
    }
    return lanes
  }

  /// Puts back a lane that was taken out.
  ///
  /// - Parameter hasMore: whether it may have more jobs; if not it is forgotten, unless it was told of meanwhile.
  mutating func put(_ lane: Lane, hasMore: Bool) {
    let state = states.removeValue(forKey: lane.id)
    guard hasMore || state == .toldOf else { return }
    states[lane.id] = .waiting
    turns.add(lane, at: lane.place)
  }
}
