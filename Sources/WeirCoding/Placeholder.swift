import WeirModel
