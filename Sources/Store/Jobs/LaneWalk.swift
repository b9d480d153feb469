internal import FoundationEssentials

/// The lanes that may have jobs, in turn. A lane that is being claimed from is out of the walk until the
/// answer is there, and back in it if it has more, or if it was told of meanwhile.
struct LaneWalk: Sendable {
  private enum State { case waiting, out, toldOf }

  private var turns: RoundRobin<Lane>
  /// Those that got jobs while others waited: they have their first turn before those who had theirs.
  private var newLanes: RoundRobin<Lane>
  /// Whether the last single turn was a new lane's.
  private var wasNewLanes = false
  private var states: [UUID: State] = [:]

  /// - Parameter weights: of queues; 1 for those not named.
  init(weights: [String: Int] = [:]) {
    turns = RoundRobin(weights: weights)
    newLanes = RoundRobin(weights: weights)
  }

  /// Whether there is no lane to claim from at once.
  var isEmpty: Bool { turns.isEmpty && newLanes.isEmpty }

  /// Adds lanes that have got jobs: before those of their priority that wait for another turn, in their
  /// order.
  ///
  /// - Returns: how many were not known.
  @discardableResult
  mutating func add(_ lanes: some Sequence<Lane>) -> Int {
    var new = 0
    // Where nobody waits they are the ones who wait.
    let isCrowded = !turns.isEmpty
    for lane in lanes {
      switch states[lane.id] {
      case nil:
        new += 1
        states[lane.id] = .waiting
        if isCrowded { newLanes.add(lane, at: lane.place) } else { turns.add(lane, at: lane.place) }
      case .out: states[lane.id] = .toldOf
      case .waiting, .toldOf: break
      }
    }
    return new
  }

  /// Takes out the next lanes to be claimed from; each is to be put back with ``put(_:hasMore:)``.
  ///
  /// One priority at a time: what is less urgent waits until nothing else is left. A quarter is for those who
  /// had a turn before, and of single ones every other, so that ever new ones cannot keep them waiting
  /// forever.
  mutating func next(_ count: Int) -> [Lane] {
    guard let priority = [newLanes.priority, turns.priority].compactMap(\.self).min() else { return [] }
    var lanes: [Lane] = []
    func take(from source: inout RoundRobin<Lane>, upTo most: Int) {
      while lanes.count < most, source.priority == priority, let lane = source.next() {
        states[lane.id] = .out
        lanes.append(lane)
      }
    }
    let isShared = newLanes.priority == turns.priority
    let first = count == 1 && wasNewLanes && isShared ? 0 : count - (isShared ? count / 4 : 0)
    take(from: &newLanes, upTo: first)
    wasNewLanes = !lanes.isEmpty
    take(from: &turns, upTo: count)
    take(from: &newLanes, upTo: count)
    return lanes
  }

  /// Puts back a lane that was taken out.
  ///
  /// - Parameter hasMore: whether it may have more jobs; if not it is forgotten, unless it was told of
  ///   meanwhile.
  mutating func put(_ lane: Lane, hasMore: Bool) {
    let state = states.removeValue(forKey: lane.id)
    guard hasMore || state == .toldOf else { return }
    states[lane.id] = .waiting
    turns.add(lane, at: lane.place)
  }
}
