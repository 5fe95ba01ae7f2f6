// A container whose nodes begin with links and keep what was put in as bytes.
template <typename T> struct Storage {
	alignas(T) unsigned char bytes[sizeof(T)];
	T *get() { return reinterpret_cast<T *>(bytes); }
};

struct Item {
	int key;
	long value;
};

struct Link {
	Link *next;
};

template <typename T> struct Node : Link {
	Storage<T> kept;
};

struct Iterator {
	Link *at;
	Item &operator*() const { return *static_cast<Node<Item> *>(at)->kept.get(); }
};

extern "C" long sum(Iterator from, const Link *end)
{
	long n = 0;
	for (; from.at != end; from.at = from.at->next)
		n += (*from).value;
	return n;
}

int main()
{
	Node<Item> one;
	one.next = nullptr;
	(*Iterator{&one}).value = 3;
	return static_cast<int>(sum(Iterator{&one}, nullptr));
}
