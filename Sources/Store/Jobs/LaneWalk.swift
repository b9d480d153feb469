internal import FoundationEssentials

/// The lanes that may have jobs, in round-robin order.
///
/// A lane leaves the walk while jobs are claimed from it. It returns if it has more jobs, or if it was
/// announced meanwhile.
struct LaneWalk: Sendable {
  /// The state of a known lane: in the walk, out of it, or out of it and announced meanwhile.
  private enum State { case waiting, out, toldOf }

  private var turns: RoundRobin<Lane>
  /// Lanes that got jobs while other lanes waited. They have their first turn before the waiting lanes have
  /// their next.
  private var newLanes: RoundRobin<Lane>
  /// True if the last call of ``next(_:)`` took a new lane.
  private var wasNewLanes = false
  private var states: [UUID: State] = [:]

  /// - Parameter weights: the weights of queues by name; 1 for all other queues.
  init(weights: [String: Int] = [:]) {
    turns = RoundRobin(weights: weights)
    newLanes = RoundRobin(weights: weights)
  }

  /// True if there is no lane to claim from at once.
  var isEmpty: Bool { turns.isEmpty && newLanes.isEmpty }

  /// Adds lanes that got jobs. A lane that was unknown has its turn before those of its priority that wait
  /// for another turn.
  ///
  /// - Returns: the number of lanes that were unknown.
  @discardableResult
  mutating func add(_ lanes: some Sequence<Lane>) -> Int {
    var new = 0
    // If no lane waits, new lanes have nobody to overtake.
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

  /// Removes and returns up to `count` lanes to claim from. The caller returns each with ``put(_:hasMore:)``.
  ///
  /// All of them have the same priority: less urgent lanes wait until no more urgent one is left. If both new
  /// and waiting lanes have this priority, a quarter of the returned lanes are waiting ones; if lanes are
  /// taken one by one, every second one is. So new lanes cannot starve waiting ones.
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

  /// Returns a lane to the walk after ``next(_:)`` has removed it.
  ///
  /// - Parameter hasMore: true if the lane may have more jobs; otherwise it is forgotten, unless it was
  ///   announced meanwhile.
  mutating func put(_ lane: Lane, hasMore: Bool) {
    let state = states.removeValue(forKey: lane.id)
    guard hasMore || state == .toldOf else { return }
    states[lane.id] = .waiting
    turns.add(lane, at: lane.place)
  }
}
