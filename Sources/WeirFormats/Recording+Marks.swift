import Foundation
public import WeirModel

extension Recording.Unit {
    /// The page's load events as marks of the unit: `onContentLoad` and `onLoad`, in the order of their moments.
    ///
    /// A HAR file has them in `pageTimings`; what it does not have, or has no beginning of the page for, is no mark.
    public var marks: [UnitOfWork.Mark] {
        guard let started else { return [] }
        return [("onContentLoad", contentLoaded), ("onLoad", loaded)].compactMap { name, offset in
            offset.map { UnitOfWork.Mark(name: name, date: started.addingTimeInterval($0)) }
        }.sorted { $0.date < $1.date }
    }
}
