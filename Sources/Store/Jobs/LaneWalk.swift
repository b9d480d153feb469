internal import FoundationEssentials

/// The lanes that may have jobs, in round-robin order.
///
/// A lane is out of the walk while it is claimed from. It returns if it has more jobs, or if it was announced
/// meanwhile.
struct LaneWalk: Sendable {
  private enum State { case waiting, out, toldOf }

  private var turns: RoundRobin<Lane>
  /// New lanes that got jobs while others waited: they have their first turn before the others have their
  /// next.
  private var newLanes: RoundRobin<Lane>
  /// True if the last single turn was a new lane's.
  private var wasNewLanes = false
  private var states: [UUID: State] = [:]

  /// - Parameter weights: the weights of queues; 1 for those not named.
  init(weights: [String: Int] = [:]) {
    turns = RoundRobin(weights: weights)
    newLanes = RoundRobin(weights: weights)
  }

  /// True if there is no lane to claim from at once.
  var isEmpty: Bool { turns.isEmpty && newLanes.isEmpty }

  /// Adds lanes that got jobs, before those of their priority that wait for another turn, in their order.
  ///
  /// - Returns: the number of lanes that were not known.
  @discardableResult
  mutating func add(_ lanes: some Sequence<Lane>) -> Int {
    var new = 0
    // If no lane waits, there is nothing to go ahead of.
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

  /// Takes out the next lanes to claim from; each has to be put back with ``put(_:hasMore:)``.
  ///
  /// One priority at a time: less urgent lanes wait until nothing else is left. A quarter of the lanes are
  /// those that had a turn before; of single lanes, every other one. So new lanes cannot starve waiting ones.
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
  /// - Parameter hasMore: true if it may have more jobs; if not, it is forgotten unless it was announced
  ///   meanwhile.
  mutating func put(_ lane: Lane, hasMore: Bool) {
    let state = states.removeValue(forKey: lane.id)
    guard hasMore || state == .toldOf else { return }
    states[lane.id] = .waiting
    turns.add(lane, at: lane.place)
  }
}
